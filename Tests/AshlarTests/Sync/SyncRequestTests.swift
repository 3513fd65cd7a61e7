import AshlarSync
import Foundation
import SyncLogs
import Synchronization
import Testing

@testable import Ashlar

/// The requests of a store to its log, and their number.
@Suite struct SyncRequestTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A log that counts its requests, and can return answers without entries, or refuse entries. Unchecked as the
    /// class above it; locks keep its state.
    private final class TellingLog: ForwardingLog, @unchecked Sendable {
        let calls = Mutex<[String]>([])
        let givesEntries = Mutex(true)
        let refusal = Mutex<SyncLogError?>(nil)

        func take() -> [String] {
            calls.withLock { calls in
                defer { calls = [] }
                return calls
            }
        }

        override func append(_ entry: SyncEntry, after head: Int64) async throws -> SyncAppendResult {
            calls.withLock { $0.append("append") }
            if let refusal = refusal.withLock({ $0 }) { throw refusal }
            let result = try await log.append(entry, after: head)
            if case .moved(let newest, _) = result, !givesEntries.withLock({ $0 }) { return .moved(head: newest) }
            return result
        }

        override func entries(after position: Int64, limit: Int) async throws -> [LoggedSyncEntry] {
            calls.withLock { $0.append("entries") }
            return try await log.entries(after: position, limit: limit)
        }
    }

    private struct Peer {
        let container: ModelContainer
        let log: TellingLog
        let sync: StoreSync

        init(_ folder: TemporaryFolder, _ name: String) throws {
            container = try ModelContainer(
                for: HarborModel.self,
                configurations: ModelConfiguration(
                    url: folder.file("\(name).store"), options: StoreOptions(historyTracking: true)))
            log = TellingLog(try StoreLog(at: folder.file("log")))
            sync = try StoreSync(container, with: log)
        }

        func save(_ titles: String..., byteCount: Int = 0) throws {
            let context = ModelContext(container)
            for title in titles { context.insert(Route(title: title + String(repeating: "x", count: byteCount))) }
            try context.save()
        }

        var count: Int { get throws { try ModelContext(container).fetchCount(Route.all) } }
    }

    private func pair() async throws -> (Peer, Peer) {
        let peers = (try Peer(folder, "first"), try Peer(folder, "second"))
        for peer in [peers.0, peers.1] {
            try await peer.sync.synchronize()
            _ = peer.log.take()
        }
        return peers
    }

    @Test("a save is one request, and where others were faster it is two") func saves() async throws {
        let (first, second) = try await pair()
        try first.save("a")
        try await first.sync.synchronize()
        #expect(first.log.take() == ["append"])
        try await first.sync.synchronize()
        #expect(first.log.take() == ["entries"])
        for title in ["b", "c"] {
            try first.save(title)
            try await first.sync.synchronize()
        }
        _ = first.log.take()
        try second.save("d")
        try await second.sync.synchronize()
        #expect(second.log.take() == ["append", "append"])
        #expect(try second.count == 4)
        #expect(await second.sync.status.logHead == 4)
    }

    @Test("a log that gives nothing along is asked for it") func olderLogs() async throws {
        let (first, second) = try await pair()
        second.log.givesEntries.withLock { $0 = false }
        try first.save("a")
        try await first.sync.synchronize()
        try second.save("b")
        try await second.sync.synchronize()
        #expect(second.log.take() == ["append", "entries", "entries", "append"])
        #expect(try second.count == 2)
    }

    @Test("what is large is not sent before it is known that it comes after what is there") func largeEntries()
        async throws
    {
        let (first, second) = try await pair()
        try first.save("a")
        try await first.sync.synchronize()
        try second.save("b", byteCount: 70_000)
        try await second.sync.synchronize()
        #expect(second.log.take() == ["entries", "entries", "append"])
    }

    @Test(
        "where nothing may be sent, others are followed all the same",
        arguments: [SyncLogError.forbidden(reason: "read only"), .tooLarge(limit: 1), .refused(reason: "no")])
    func refusals(refusal: SyncLogError) async throws {
        let (first, second) = try await pair()
        try first.save("a")
        try await first.sync.synchronize()
        try second.save("b")
        second.log.refusal.withLock { $0 = refusal }
        await #expect(throws: refusal) { try await second.sync.synchronize() }
        #expect(try second.count == 2)
        try first.save("c")
        try await first.sync.synchronize()
        await #expect(throws: refusal) { try await second.sync.synchronize() }
        #expect(try second.count == 3)
        second.log.refusal.withLock { $0 = nil }
        for peer in [second, first] { try await peer.sync.synchronize() }
        #expect(try first.count == 3)
    }
}
