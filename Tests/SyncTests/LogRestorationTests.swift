import Ashlar
import AshlarSync
import AshlarSyncTesting
import Foundation
import SyncLogs
import Synchronization
import Testing

/// Logs that were put back to an older state.
@Suite struct LogRestorationTests {
    let crew: Crew
    init() throws { crew = try Crew() }

    /// Runs a closure, and restores the log to its state before it.
    private func losing(_ body: () async throws -> Void) async throws {
        let copy = try crew.copyLog()
        try await body()
        crew.logURL = copy
    }

    private func isPutBack(_ error: any Error) -> Bool {
        if case SyncError.logPutBack = error { true } else { false }
    }

    @Test("A log that was put back is noticed, and rejoined", arguments: [0, 1, 2, 3])
    func lostEntries(_ later: Int) async throws {
        do {
            let (first, second) = try await crew.pair { $0.insert(Counter(name: "meter", total: 10)) }
            try second.change { $0.insert(Counter(name: "kept", total: 1)) }
            try await exchange(second, first)
            try await losing {
                for (peer, gain) in [(first, 1), (second, 10)] as [(Peer, Int64)] {
                    try peer.change {
                        try $0.fetch(Counter.where { $0.name == "meter" }).first?.total += gain
                        $0.insert(Counter(name: "lost \(gain)", total: gain))
                    }
                    try await peer.sync.synchronize()
                }
                try await exchange(first, second)
                try first.change { try $0.batchDelete(Counter.where { $0.name == "kept" }) }
                try await exchange(first, second)
            }
        }
        // Meanwhile, another store appends so many entries.
        let third = try crew.peer("third")
        try await third.sync.synchronize()
        for number in 0..<later {
            try third.change {
                try $0.fetch(Counter.where { $0.name == "meter" }).first?.total += 100
                $0.insert(Counter(name: "new \(number)", total: 0))
            }
            try await third.sync.synchronize()
        }
        let (first, second) = (try crew.peer("first"), try crew.peer("second"))
        for peer in [first, second] {
            await #expect(performing: { try await peer.sync.synchronize() }, throws: isPutBack)
            // The second attempt is refused as well, and nothing changed.
            try peer.change { $0.insert(Counter(name: "unsent \(peer.name)", total: 0)) }
            await #expect(performing: { try await peer.sync.synchronize() }, throws: isPutBack)
        }
        try await first.sync.rejoin()
        try await second.sync.rejoin()
        try await exchange(third, first, second)
        let wanted =
            [
                "counter lost 1 1 -", "counter lost 10 10 -", "counter meter \(21 + later * 100) -",
                "counter unsent first 0 -", "counter unsent second 0 -",
            ] + (0..<later).map { "counter new \($0) 0 -" }
        for peer in [first, second, third] {
            #expect(try peer.texts() == wanted.sorted(), "\(peer.name)")
            #expect(try peer.container.integrityProblems() == [])
        }
    }

    @Test("A store that is open notices it with its next entry or the next that it reads", arguments: [false, true])
    func openStore(_ isReading: Bool) async throws {
        let (first, second) = try await crew.pair { $0.insert(Counter(name: "meter", total: 10)) }
        let log = ReplacedLog(try StoreLog(at: crew.logURL))
        let open = try crew.peer("open", log: log)
        try await open.sync.synchronize()
        try second.change { $0.insert(Counter(name: "kept", total: 1)) }
        try await exchange(second, first, open)
        let copy = try crew.copyLog()
        try first.change { $0.insert(Counter(name: "lost", total: 1)) }
        try await exchange(first, open)
        let older = try StoreLog(at: copy)
        log.use(older)
        let other = try crew.peer("other", log: older)
        for number in 0..<(isReading ? 2 : 1) {
            try other.change { $0.insert(Counter(name: "new \(number)", total: 1)) }
            try await other.sync.synchronize()
        }
        if !isReading { try open.change { $0.insert(Counter(name: "mine", total: 1)) } }
        await #expect(performing: { try await open.sync.synchronize() }, throws: isPutBack)
        try await open.sync.rejoin()
        try await exchange(other, open)
        #expect(try open.texts() == other.texts())
        #expect(try open.texts().contains("counter lost 1 -"))
    }

    /// A log that can be replaced by another one. Unchecked like its superclass; a lock protects its state.
    private final class ReplacedLog: ForwardingLog, @unchecked Sendable {
        private let other = Mutex<StoreLog?>(nil)
        func use(_ log: StoreLog) { other.withLock { $0 = log } }
        private var now: StoreLog { other.withLock { $0 } ?? log }

        override func head() async throws -> Int64 { try await now.head() }
        override func append(_ entry: SyncEntry, after head: Int64) async throws -> SyncAppendResult {
            try await now.append(entry, after: head)
        }
        override func standing(of site: UUID, at position: Int64) async throws -> SyncStanding {
            try await now.standing(of: site, at: position)
        }
        override func entries(after position: Int64, limit: Int) async throws -> [LoggedSyncEntry] {
            try await now.entries(after: position, limit: limit)
        }
        override func leaseIdentifiers(site: UUID, count: Int64) async throws -> ClosedRange<Int64> {
            try await now.leaseIdentifiers(site: site, count: count)
        }
        override func snapshots() async throws -> [SyncSnapshot] { try await now.snapshots() }
        override func read(_ snapshot: SyncSnapshot, to file: URL) async throws {
            try await now.read(snapshot, to: file)
        }
    }

    @Test func storeLogKeepsItsPromises() async throws {
        let folder = crew.folder
        let problems = try await SyncLogConformance().problems { try StoreLog(at: folder.appendingPathComponent($0)) }
        #expect(problems == [])
    }
}
