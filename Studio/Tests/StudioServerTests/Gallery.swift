import Ashlar
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
@_spi(Studio) import StoreBrowsing

@_spi(Studio) @testable import StudioServer

/// The styles of pictures.
enum Style: String, Sendable, Codable {
    case oil, pastel, ink
}

/// A store that a program made, and a server of its pages.
final class Gallery: Sendable {
    let folder: URL
    let url: URL
    let studio: Studio
    let port: Int

    private init(_ folder: URL, _ url: URL, _ studio: Studio, _ port: Int) {
        self.folder = folder
        self.url = url
        self.studio = studio
        self.port = port
    }

    /// A text that would be markup, a script or another address, were it not escaped.
    static let markup = "\"><script>document.title='broken'</script>' onload=x &amp; \u{202E}\u{0}\u{7}</textarea>"

    /// The model's bundle.
    static var model: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Models/Gallery.xcdatamodeld").path
    }

    /// Runs a closure with a store of some pictures and its server, which ends as a program's does: it finishes what it answers.
    /// One that is cancelled while a connection opens stops the process.
    static func serving<Result: Sendable>(
        pictures count: Int = 120, isWritable: Bool = false, hasHistory: Bool = true,
        _ body: (Gallery) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-studio-\(UUID().uuidString)")
        let url = folder.appendingPathComponent("Gallery.store")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try fill(url, count, hasHistory)
        let studio = Studio(try StoreBrowser(url, model: model), isWritable: isWritable, comparedWith: url)
        return try await serving(studio.application) { try await body(Gallery(folder, url, studio, $0)) }
    }

    /// Runs a closure with the port of a server.
    static func serving<Result: Sendable, Server: ApplicationProtocol>(
        _ server: (@escaping @Sendable (String) -> Void) -> Server, _ body: (Int) async throws -> Result
    ) async throws -> Result {
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let application = server { address in
            continuation.yield(Int(address.split(separator: ":")[2].prefix { $0.isNumber }) ?? 0)
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [application], logger: Logger(label: "studio") { _ in SwiftLogNoOpLogHandler() }))
        let task = Task { try await group.run() }
        var iterator = ports.makeAsyncIterator()
        let port = await iterator.next() ?? 0
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(port)) } catch { result = .failure(error) }
        await group.triggerGracefulShutdown()
        try await task.value
        return try result.get()
    }

    private static func fill(_ url: URL, _ count: Int, _ hasHistory: Bool) throws {
        let container = try ModelContainer(
            for: GalleryModel.self,
            configurations: ModelConfiguration(url: url, options: StoreOptions(historyTracking: hasHistory)))
        let context = ModelContext(container)
        let painters = [Painter(name: "Ada"), Painter(name: markup)]
        for painter in painters { context.insert(painter) }
        let rooms = (1...3).map { Room(caption: "Room", code: "R-\($0)") }
        for room in rooms { context.insert(room) }
        for number in 0..<count {
            let picture = Picture(
                latitude: Double(number % 60), longitude: Double(number % 100),
                title: number == 0 ? markup : "Picture \(number)",
                year: Int32(1900 + number % 50))
            picture.painter = painters[number % 2]
            picture.painted = Date(timeIntervalSinceReferenceDate: 700_000_000.6458288)
            picture.style = number % 3 == 0 ? .pastel : .oil
            context.insert(picture)
            picture.rooms.append(rooms[number % 2])
            let frame = Frame(material: "wood \(number)")
            context.insert(frame)
            frame.picture = picture
        }
        try context.save()
    }

    /// Changes the store as another program does.
    func changing(_ body: (ModelContext) throws -> Void) throws {
        let context = ModelContext(try ModelContainer(for: GalleryModel.self, at: url))
        try body(context)
        try context.save()
    }

    /// The first value of a statement on the store, as text.
    func value(_ sql: String) throws -> String { try studio.browser.run(sql).rows.first?.first?.text ?? "nothing" }

    /// The number of transactions in the history.
    var transactionCount: Int { get throws { try studio.browser.timeline(before: nil).transactions.count } }

    // MARK: Requests

    var cookie: String { "Cookie: ashlar-studio-\(port)=\(studio.token.text)" }

    /// What the server answers to the lines of a request.
    func answer(_ lines: [String], body: String = "") async throws -> Answer {
        try await RawConnection.answer(Data((lines + ["", body]).joined(separator: "\r\n").utf8), port)
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
