import Ashlar
public import Foundation
public import Hummingbird

/// The service: a store, its reader and writer, and the routes that lead to both.
public struct FeedService: Sendable {
    let reader: FeedReader
    let writer: FeedWriter

    /// Opens the store in a file, and creates or migrates it if necessary.
    ///
    /// - Throws: `StoreError`.
    public init(storeAt url: URL) throws {
        self.init(try ModelContainer(for: PhotoFeedModel.self, at: url))
    }

    private init(_ container: ModelContainer) {
        reader = FeedReader(container: container)
        writer = FeedWriter(modelContainer: container)
    }

    /// The service as an application that listens at an address. Port 0 is any that is free.
    public func application(
        host: String = "127.0.0.1", port: Int, onServerRunning: @escaping @Sendable (Int?) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let router = Router(context: FeedContext.self)
        router.add(middleware: ErrorResponses())
        addAuthors(to: router)
        addPosts(to: router)
        addDays(to: router)
        addEvents(to: router)
        return Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { channel in await onServerRunning(channel.localAddress?.port) })
    }
}
