import Dispatch
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
@_spi(Studio) import StoreBrowsing

/// What the server shows, and what it may do.
@_spi(Studio) public struct Studio: Sendable {
    /// The store.
    public let browser: StoreBrowser
    /// What changes it; nil where it is only read.
    public let editor: StoreEditor?
    /// A store to compare it with.
    public let other: URL?
    /// By which the program knows its own pages.
    public let token: AccessToken
    /// What forms say, so that a request that changes something comes from one of them.
    let formToken = AccessToken()
    let port: BoundPort

    /// Says what is shown.
    ///
    /// - Parameter port: The port of the loopback address; 0 for one that is free.
    public init(
        _ browser: StoreBrowser, isWritable: Bool = false, comparedWith other: URL? = nil, port: Int = 0,
        token: AccessToken = AccessToken()
    ) {
        self.browser = browser
        self.other = other
        self.token = token
        editor = isWritable && !browser.isOfCoreData ? StoreEditor(browser) : nil
        self.port = BoundPort(port)
    }

    /// The address to open, which has the secret.
    public var address: String { "http://127.0.0.1:\(port.number)/?token=\(token.text)" }

    /// The server, on the loopback address alone.
    ///
    /// - Parameter isReady: Called with the address once it listens.
    public func application(isReady: @escaping @Sendable (String) -> Void = { _ in }) -> some ApplicationProtocol {
        Application(
            router: router(), server: .http1(configuration: HTTP1Channel.Configuration(idleTimeout: Self.idleTime)),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port.number)),
            onServerRunning: { channel in
                if let number = channel.localAddress?.port { port.number = number }
                isReady(address)
            }, logger: Logger(label: "ashlar-studio") { _ in SwiftLogNoOpLogHandler() })
    }

    /// As long may a connection say nothing: one who begins a request and does not end it keeps none.
    private static var idleTime: TimeAmount { .seconds(60) }

    private func router() -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: RequestGuard(token: token, port: port))
        router.add(middleware: ErrorPages(studio: self))
        router.get("style.css") { _, _ in Self.file(Assets.stylesheet, "text/css") }
        router.get("script.js") { _, _ in Self.file(Assets.script, "text/javascript") }
        router.get("icon.svg") { _, _ in Self.file(Assets.icon, "image/svg+xml") }
        for (path, page) in Self.pages {
            router.get(RouterPath(path)) { request, _ in
                guard let parameters = Parameters(request.uri.query ?? "") else { throw PageError.parameters }
                return Self.page(try await Self.offLoop { try page(self, parameters) })
            }
        }
        router.get("key-paths") { request, _ in
            guard let parameters = Parameters(request.uri.query ?? ""), let entity = parameters["entity"] else {
                throw PageError.parameters
            }
            let paths = try await Self.offLoop {
                try browser.keyPaths(of: entity, beginningWith: parameters["text"] ?? "")
            }
            return Self.file(String(decoding: try JSONEncoder().encode(paths), as: UTF8.self), "application/json")
        }
        if editor != nil { addChanges(to: router) }
        return router
    }

    static let pages: [(String, @Sendable (Studio, Parameters) throws -> Page)] = [
        ("/", { studio, _ in try studio.overviewPage() }),
        ("rows", { try $0.rowsPage($1) }),
        ("object", { try $0.objectPage($1) }),
        ("query", { try $0.queryPage($1) }),
        ("model", { studio, _ in try studio.modelPage() }),
        ("map", { try $0.mapPage($1) }),
        ("history", { try $0.historyPage($1) }),
        ("schema", { studio, _ in try studio.schemaPage() }),
        ("differences", { studio, _ in try studio.differencesPage() }),
    ]

    // MARK: Answers

    private static let queue = DispatchQueue(label: "ashlar-studio.reading", attributes: .concurrent)

    /// Runs what reads a file away from the threads that serve connections.
    static func offLoop<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    static func page(_ page: Page, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: page.markup)))
    }

    private static func file(_ text: String, _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "\(type); charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

/// What is wrong with a request.
struct PageError: Error {
    var status: HTTPResponse.Status
    var text: String

    static let parameters = PageError(status: .badRequest, text: "The address has parameters that no page here makes.")
}

/// Shows errors as pages.
struct ErrorPages: RouterMiddleware {
    typealias Context = BasicRequestContext
    let studio: Studio

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as BrowsingError {
            let status: HTTPResponse.Status =
                switch error.kind {
                case .missing: .notFound
                case .invalid: .badRequest
                case .unavailable, .tooSlow: .serviceUnavailable
                case .refused: .conflict
                }
            return Studio.page(studio.errorPage(error.description), status: status)
        } catch let error as PageError {
            return Studio.page(studio.errorPage(error.text), status: error.status)
        } catch let error as any HTTPResponseError {
            return Studio.page(studio.errorPage("There is no such page here."), status: error.status)
        }
    }
}
