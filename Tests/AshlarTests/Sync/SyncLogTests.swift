import AshlarSync
import AshlarSyncTesting
import Foundation
import SyncLogs
import Synchronization
import Testing

/// The requirements on every log. The suite that checks them finds every violation.
@Suite struct SyncLogTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("a log in a file keeps what logs promise") func file() async throws {
        let problems = try await SyncLogConformance().problems { name in try StoreLog(at: folder.file(name)) }
        #expect(problems == [])
    }

    @Test("what a log does not keep is found", arguments: BrokenLog.Fault.allCases)
    func broken(fault: BrokenLog.Fault) async throws {
        var suite = SyncLogConformance()
        (suite.randomAppendCount, suite.snapshotByteCount) = (3, 20_000)
        let problems = try await suite.problems { name in
            BrokenLog(try StoreLog(at: folder.file(name)), fault)
        }
        #expect(problems.map(\.check).contains(fault.check), "\(problems)")
    }
}

/// Messages between hubs and clients of different versions.
@Test("a hub that gives no entries along is understood") func oldAnswer() throws {
    let answer = Data(#"{"moved":{"head":5}}"#.utf8)
    #expect(try JSONDecoder().decode(SyncAppendResult.self, from: answer) == .moved(head: 5))
}

/// A log that does one thing that no log may do. Unchecked as the class above it; a lock keeps its state.
final class BrokenLog: ForwardingLog, @unchecked Sendable {
    enum Fault: CaseIterable {
        case appendsTwice, appendsLate, givesNumbersAgain, losesEntries, cutsBodies, proposesAtOnce, forgetsOldEntries
        case neverWakes, liesAboutHead, keepsEverything, cutsSnapshots, beginsTwice

        /// The check that has to fail.
        var check: String {
            switch self {
            case .appendsTwice: "the same entry again is not appended again"
            case .appendsLate: "one of several appends after one head succeeds"
            case .givesNumbersAgain: "each number is given once"
            case .losesEntries, .cutsBodies: "entries are as they were appended"
            case .proposesAtOnce: "a proposed snapshot counts with its entry"
            case .forgetsOldEntries, .keepsEverything: "old entries go"
            case .neverWakes: "a wait ends when there is an entry"
            case .liesAboutHead: "an append after a position that does not exist yet is refused"
            case .cutsSnapshots: "snapshots are kept as they are"
            case .beginsTwice: "the first snapshot begins the log"
            }
        }
    }

    private let fault: Fault
    private let compacted = Mutex<Int64>(0)

    init(_ log: StoreLog, _ fault: Fault) {
        self.fault = fault
        super.init(log)
    }

    override func append(_ entry: SyncEntry, after head: Int64) async throws -> SyncAppendResult {
        var entry = entry
        if fault == .appendsTwice { entry.count = .random(in: 1 ... .max) }
        if fault == .forgetsOldEntries, compacted.withLock({ $0 }) > 0 { entry.site = UUID() }
        let result = try await log.append(entry, after: head)
        guard case .moved(let newest, let entries) = result else { return result }
        switch fault {
        case .appendsLate: return try await log.append(entry, after: newest)
        case .liesAboutHead: return .moved(head: newest + 1, entries: entries)
        default: return result
        }
    }

    override func entries(after position: Int64, limit: Int) async throws -> [LoggedSyncEntry] {
        let entries = try await log.entries(after: position, limit: limit)
        switch fault {
        case .losesEntries: return entries.filter { $0.position != 2 }
        case .cutsBodies:
            return entries.map { logged in
                var logged = logged
                logged.entry.body = logged.entry.body.prefix(100_000)
                return logged
            }
        default: return entries
        }
    }

    override func waitForEntries(after position: Int64, atMost duration: Duration) async throws -> Int64 {
        fault == .neverWakes ? position : try await log.waitForEntries(after: position, atMost: duration)
    }

    override func leaseIdentifiers(site: UUID, count: Int64) async throws -> ClosedRange<Int64> {
        let range = try await log.leaseIdentifiers(site: site, count: count)
        return fault == .givesNumbersAgain ? range.lowerBound - 1...range.upperBound : range
    }

    override func add(_ snapshot: SyncSnapshot, from file: URL) async throws {
        var snapshot = snapshot
        if fault == .proposesAtOnce { snapshot.isProposed = false }
        do {
            try await log.add(snapshot, from: file)
        } catch SyncLogError.alreadyBegun where fault == .beginsTwice {}
    }

    override func read(_ snapshot: SyncSnapshot, to file: URL) async throws {
        try await log.read(snapshot, to: file)
        if fault == .cutsSnapshots { try Data(contentsOf: file).dropLast(1).write(to: file) }
    }

    override func compact(through position: Int64) async throws {
        if fault == .keepsEverything { return }
        try await log.compact(through: position)
        compacted.withLock { $0 = position }
    }
}
