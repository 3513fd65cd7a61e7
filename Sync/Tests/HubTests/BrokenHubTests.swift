import Ashlar
import AshlarSync
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization
import Testing

/// Synchronizes a store with a broken hub, or with another server. Each answer must throw a typed error and leave the
/// store unchanged.
@Suite struct BrokenHubTests {
    /// An answer to all requests.
    struct Answer: Sendable, CustomTestStringConvertible {
        var name: String
        var status = 200
        var body = Data()
        /// Whether fewer bytes come than were promised.
        var isCut = false
        var testDescription: String { name }
    }

    private static let entry = """
        {"kind":"changes","site":"6F1B0C0E-3C1F-4B0A-9A54-0B4B7E0B3A11","count":1,"modelHash":"h","date":0,"body":"YQ=="}
        """

    static let answers = [
        Answer(name: "nothing"), Answer(name: "no JSON", body: Data("<html>".utf8)),
        Answer(name: "bytes", body: Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 197) })),
        Answer(name: "another form", body: Data("{\"a\":[1,2,{}]}".utf8)),
        Answer(name: "a negative head", body: Data("{\"head\":-5}".utf8)),
        Answer(name: "a head beyond all numbers", body: Data("{\"head\":99999999999999999999}".utf8)),
        Answer(name: "numbers of no range", body: Data("{\"first\":1,\"last\":0,\"head\":0}".utf8)),
        Answer(name: "numbers of others", body: Data("{\"first\":1,\"last\":10,\"head\":3}".utf8)),
        Answer(name: "numbers without end", body: Data("{\"first\":4294967296,\"last\":9223372036854775807}".utf8)),
        Answer(name: "an entry at a wrong place", body: Data("[{\"position\":7,\"entry\":\(entry)}]".utf8)),
        Answer(name: "an entry at no place", body: Data("[{\"position\":-1,\"entry\":\(entry)}]".utf8)),
        Answer(name: "a long list", body: Data("[\(String(repeating: "[", count: 100_000))".utf8)),
        Answer(name: "a failure that nobody knows", status: 418, body: Data("{\"error\":\"teapot\"}".utf8)),
        Answer(name: "a failure without words", status: 500), Answer(name: "moved", status: 302),
        Answer(name: "a cut answer", body: Data("{\"head\":0}".utf8), isCut: true),
    ]

    private func withServer<Result>(_ answer: Answer, _ body: (URL) async throws -> Result) async throws -> Result {
        let router = Router(context: BasicRequestContext.self)
        router.middlewares.add(Always(answer: answer))
        return try await withApplication(router: router, body)
    }

    private struct Always: RouterMiddleware {
        var answer: Answer

        func handle(
            _ request: Request, context: BasicRequestContext,
            next: (Request, BasicRequestContext) async throws -> Response
        ) async throws -> Response {
            let answer = answer
            let body =
                answer.isCut
                ? ResponseBody(contentLength: answer.body.count + 100) { writer in
                    try await writer.write(ByteBuffer(bytes: answer.body))
                    throw SyncLogError.unreachable(reason: "cut")
                } : ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
            return Response(
                status: HTTPResponse.Status(code: answer.status), headers: [.contentType: "application/json"],
                body: body)
        }
    }

    @Test("an answer that no hub gives is an error, and the store stays as it was", arguments: answers)
    func broken(answer: Answer) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hub-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await withServer(answer) { hub in
            let log = HTTPLog(hub: hub, name: "log", timeout: 5) { "token" }
            let configuration = ModelConfiguration(
                url: folder.appendingPathComponent("a.store"), options: StoreOptions(historyTracking: true))
            let container = try ModelContainer(for: NotesModel.self, configurations: configuration)
            let sync = try StoreSync(container, with: log)
            let context = ModelContext(container)
            context.insert(Note(title: "mine"))
            try context.save()
            do {
                try await sync.synchronize()
                Issue.record("what was answered is no log's")
            } catch is SyncLogError {}
            for call in [
                { _ = try await log.head() }, { _ = try await log.entries(after: 0, limit: 10) },
                { _ = try await log.snapshots() }, { try await log.compact(through: 1) },
                { _ = try await log.waitForEntries(after: 0, atMost: .milliseconds(10)) },
            ] as [@Sendable () async throws -> Void] {
                // Some of these answers are valid for some of the requests.
                do { try await call() } catch is SyncLogError {}
            }
            #expect(try ModelContext(container).fetchCount(Note.all) == 1)
            #expect(try container.integrityProblems() == [])
            // With a sound log, the store goes on.
            try await StoreSync(container, with: StoreLog(at: folder.appendingPathComponent("log"))).synchronize()
        }
    }

    @Test("answers that come twice, and answers that come after another was asked for") func repeated() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hub-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = RepeatingLog(try StoreLog(at: folder.appendingPathComponent("log")))
        var stores: [(container: ModelContainer, sync: StoreSync)] = []
        for name in ["a", "b"] {
            let configuration = ModelConfiguration(
                url: folder.appendingPathComponent(name), options: StoreOptions(historyTracking: true))
            let container = try ModelContainer(for: NotesModel.self, configurations: configuration)
            stores.append((container, try StoreSync(container, with: log)))
        }
        for round in 0..<30 {
            let store = stores[round % 2]
            let context = ModelContext(store.container)
            context.insert(Note(title: "note \(round)"))
            try context.save()
            // The store detects an older answer in place of the right one, and asks again.
            do { try await store.sync.synchronize() } catch SyncLogError.malformed {}
        }
        log.isRight.withLock { $0 = true }
        for store in stores + stores { try await store.sync.synchronize() }
        for store in stores {
            #expect(try ModelContext(store.container).fetchCount(Note.all) == 30)
            #expect(try store.container.integrityProblems() == [])
        }
    }

    /// A log that repeats answers, sometimes returns old ones, and appends each entry twice.
    private final class RepeatingLog: SyncLog {
        let log: StoreLog
        let isRight = Mutex(false)
        private let last = Mutex<[LoggedSyncEntry]>([])
        private let count = Mutex(0)

        init(_ log: StoreLog) { self.log = log }

        func head() async throws -> Int64 { try await log.head() }
        func append(_ entry: SyncEntry, after head: Int64) async throws -> SyncAppendResult {
            _ = try await log.append(entry, after: head)
            return try await log.append(entry, after: head)
        }
        func standing(of site: UUID, at position: Int64) async throws -> SyncStanding {
            try await log.standing(of: site, at: position)
        }
        func entries(after position: Int64, limit: Int) async throws -> [LoggedSyncEntry] {
            let isOld = count.withLock { count in
                count += 1
                return count % 5 == 0
            }
            if isOld, !isRight.withLock({ $0 }) { return last.withLock { $0 } }
            let found = try await log.entries(after: position, limit: limit)
            if !found.isEmpty { last.withLock { $0 = found } }
            return found
        }
        func waitForEntries(after position: Int64, atMost duration: Duration) async throws -> Int64 {
            try await log.waitForEntries(after: position, atMost: duration)
        }
        func leaseIdentifiers(site: UUID, count: Int64) async throws -> ClosedRange<Int64> {
            _ = try await log.leaseIdentifiers(site: site, count: count)
            return try await log.leaseIdentifiers(site: site, count: count)
        }
        func snapshots() async throws -> [SyncSnapshot] { try await log.snapshots() }
        func add(_ snapshot: SyncSnapshot, from file: URL) async throws {
            for _ in 0..<2 { try await log.add(snapshot, from: file) }
        }
        func read(_ snapshot: SyncSnapshot, to file: URL) async throws { try await log.read(snapshot, to: file) }
        func compact(through position: Int64) async throws { try await log.compact(through: position) }
        func add(_ value: Data, hash: String) async throws {
            for _ in 0..<2 { try await log.add(value, hash: hash) }
        }
        func value(hash: String) async throws -> Data { try await log.value(hash: hash) }
    }
}
