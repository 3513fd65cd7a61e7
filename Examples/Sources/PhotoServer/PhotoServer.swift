import Foundation
import Hummingbird
import PhotoService

/// Serves the feed of a store until it is interrupted or terminated:
///
///     swift run PhotoServer [store] [port]
@main
struct PhotoServer {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let store = URL(fileURLWithPath: arguments.first ?? "Feed.store")
        guard let port = UInt16(arguments.dropFirst().first ?? "8080") else {
            print("usage: PhotoServer [store] [port]")
            exit(2)
        }
        let service = try FeedService(storeAt: store)
        let application = service.application(port: Int(port)) { port in
            print("http://127.0.0.1:\(port ?? 0) serves \(store.path)")
        }
        // Open requests are answered, and streams of events end, before this returns.
        try await application.runService()
        print("stopped")
    }
}
