import Ashlar
import Dispatch
import Foundation
import Hummingbird
@_spi(Studio) import StoreBrowsing

@_spi(Studio) @testable import StudioServer

/// A store that a program made, and a server of its pages, which ends with this object.
final class Gallery: Sendable {
    let folder: URL
    let url: URL
    let studio: Studio
    let port: Int
    private let server: Task<Void, any Error>

    /// A text that would be markup, a script or another address, were it not escaped.
    static let markup = "\"><script>document.title='broken'</script>' onload=x &amp; \u{202E}\u{0}\u{7}</textarea>"

    /// The model's bundle.
    static var model: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Models/Gallery.xcdatamodeld").path
    }

    init(pictures count: Int = 120, isWritable: Bool = false) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-studio-\(UUID().uuidString)")
        url = folder.appendingPathComponent("Gallery.store")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.fill(url, count)
        studio = Studio(try StoreBrowser(url, model: Self.model), isWritable: isWritable, comparedWith: url)
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let studio = studio
        server = Task {
            try await studio.application { address in
                continuation.yield(Int(address.split(separator: ":")[2].prefix { $0.isNumber }) ?? 0)
            }.run()
        }
        var iterator = ports.makeAsyncIterator()
        port = await iterator.next() ?? 0
    }

    deinit {
        server.cancel()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func fill(_ url: URL, _ count: Int) throws {
        let container = try ModelContainer(
            for: GalleryModel.self,
            configurations: ModelConfiguration(url: url, options: StoreOptions(historyTracking: true)))
        let context = ModelContext(container)
        let painters = [Painter(name: "Ada"), Painter(name: markup)]
        for painter in painters { context.insert(painter) }
        for number in 0..<count {
            let picture = Picture(
                latitude: Double(number % 60), longitude: Double(number % 100),
                title: number == 0 ? markup : "Picture \(number)",
                year: Int32(1900 + number % 50))
            picture.painter = painters[number % 2]
            context.insert(picture)
        }
        try context.save()
    }

    // MARK: Requests

    var cookie: String { "Cookie: ashlar-studio-\(port)=\(studio.token.text)" }

    /// What the server answers to the lines of a request.
    func answer(_ lines: [String], body: String = "") async throws -> Answer {
        let (bytes, port) = (Data((lines + ["", body]).joined(separator: "\r\n").utf8), port)
        // It waits, and the server needs the threads of tasks.
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try RawConnection.answer(bytes, port) })
            }
        }
    }

    /// What it answers to a page of ours.
    func page(_ address: String, _ fields: [String] = []) async throws -> Answer {
        try await answer(
            ["GET \(address) HTTP/1.1", "Host: 127.0.0.1:\(port)", cookie, "Connection: close"] + fields)
    }

    /// What it answers to a form of ours.
    func submit(_ path: String, _ form: String, _ fields: [String]? = nil) async throws -> Answer {
        let fields = fields ?? ["Origin: http://127.0.0.1:\(port)"]
        return try await answer(
            [
                "POST \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", cookie, "Connection: close",
                "Content-Type: application/x-www-form-urlencoded", "Content-Length: \(form.utf8.count)",
            ] + fields, body: form)
    }
}
