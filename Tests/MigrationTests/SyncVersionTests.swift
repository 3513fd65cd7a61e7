import AshlarSQLite
import AshlarSync
import Foundation
import GeneratorPipeline
import PlannedModel
import RandomNumbers
import RandomSeeds
import SyncLogs
import Synchronization
import Testing

@_spi(Generated) @testable import Ashlar

/// Stores that follow one log, and get newer versions of their model at different times.
@Suite struct SyncVersionTests {
    let folder: TemporaryFolder
    let log: StoreLog

    init() throws {
        folder = try TemporaryFolder()
        log = try StoreLog(at: folder.file("log"))
    }

    /// The model of a program that has the versions up to one, with the runtime's descriptions of its entities.
    private static func model(_ version: Int) throws -> ModelDescription {
        let planned = Harbour.model(version)
        let plan = try #require(ModelPlan.make(modelPath: Harbour.path).plan)
        return ModelDescription(
            name: planned.name, entities: ModelDescription.describing(plan.schemas[version - 1]).entities,
            versions: planned.versions, schema: planned.schema, firstSchema: planned.firstSchema, parts: planned.parts)
    }

    /// A store that is used by one release of a program after another.
    final class Peer {
        let name: String
        let url: URL
        let log: any SyncLog
        var version = 0
        var container: ModelContainer
        var sync: StoreSync
        /// The names that were saved in the store.
        var saved: [String] = []

        init(_ name: String, _ url: URL, _ log: any SyncLog, version: Int) throws {
            (self.name, self.url, self.log, self.version) = (name, url, log, version)
            (container, sync) = try Self.open(url, log, version)
        }

        private static func open(_ url: URL, _ log: any SyncLog, _ version: Int) throws -> (ModelContainer, StoreSync) {
            let container = try ModelContainer(
                describedBy: SyncVersionTests.model(version),
                configuration: ModelConfiguration(url: url, options: StoreOptions(historyTracking: true)))
            return (container, try StoreSync(container, with: log))
        }

        func update(to version: Int) throws {
            self.version = version
            (container, sync) = try Self.open(url, log, version)
        }

        /// Inserts a ship with an entry, in the form of the present version, and changes another ship.
        func write() throws {
            let name = "\(name)\(saved.count)"
            try container.writeChanges("writing", name, to: container.stores[0]) { connection in
                try connection.recordingHistory(of: HistoryOrigin(author: name)) {
                    let ship = try next("Ship", connection)
                    try connection.execute(
                        "UPDATE \"Ship\" SET \"latitude\" = \"latitude\" + 1, \"version$\" = \"version$\" + 1 WHERE \"id$\" % 2"
                    )
                    try connection.execute(
                        "INSERT INTO \"Ship\" (\"id$\", \"name\", \"code\") VALUES (\(ship), '\(name)', 'c')")
                    try connection.execute(
                        "INSERT INTO \"Entry\" (\"id$\", \"text\", \"ship\") VALUES (\(try next("Entry", connection)), '\(name)', \(ship))"
                    )
                }
                return ((), ChangedObjects())
            }
            saved.append(name)
        }

        private func next(_ entity: String, _ connection: Connection) throws -> Int64 {
            let description = try #require(container.model.entity(named: entity))
            let last = try connection.lastRowID(of: description.schema, in: container)
            return last + 1
        }

        /// The rows of all tables, without derived columns.
        func rows() throws -> [String: [[SQLiteValue]]] {
            try container.pool.read { connection in
                var found: [String: [[SQLiteValue]]] = [:]
                for table in TrackedTable.tables(of: container.model) {
                    let shape = try StoredTable(table, connection)
                    let list = shape.columns.filter { $0 != "version$" }.map(\.quotedIdentifier).joined(separator: ", ")
                    found[table.name] = try connection.rows(
                        "SELECT \(list) FROM \(table.name.quotedIdentifier) ORDER BY 1, 2")
                }
                return found
            }
        }
    }

    @Test("an older store waits with what it saved, and sends it after its update") func waiting() async throws {
        let first = try Peer("first", folder.file("first.store"), log, version: 1)
        let second = try Peer("second", folder.file("second.store"), log, version: 1)
        try first.write()
        for peer in [first, second] { try await peer.sync.synchronize() }
        try second.write()
        try first.update(to: 2)
        try first.write()
        try await first.sync.synchronize()
        try second.write()
        await #expect(throws: SyncError.newerModelVersion(try first.container.versionHash())) {
            try await second.sync.synchronize()
        }
        try second.update(to: 2)
        for peer in [second, first] { try await peer.sync.synchronize() }
        #expect(try first.rows() == second.rows())
        let names = try first.container.pool.read { try $0.rows("SELECT \"name\" FROM \"Ship\" ORDER BY \"name\"") }
        #expect(names == (first.saved + second.saved).sorted().map { [.text($0)] })
    }

    /// Entries that are appended between the snapshot of the new version and its step must be in the snapshot.
    @Test("two stores that bring the log to a new version", arguments: [false, true])
    func steppingAtOnce(isUpdated: Bool) async throws {
        let log = InterruptedLog(log)
        let first = try Peer("first", folder.file("first.store"), log, version: 1)
        let second = try Peer("second", folder.file("second.store"), log, version: 1)
        for peer in [first, second] { try await peer.sync.synchronize() }
        try second.write()
        if isUpdated { try second.update(to: 2) }
        try first.update(to: 2)
        try first.write()
        let other = second.sync
        log.interruption.withLock { $0 = { try await other.synchronize() } }
        try await first.sync.synchronize()
        try second.update(to: 2)
        for peer in [second, first] { try await peer.sync.synchronize() }
        #expect(try first.rows() == second.rows())
        let names = try first.container.pool.read { try $0.rows("SELECT \"name\" FROM \"Ship\" ORDER BY \"name\"") }
        #expect(names == (first.saved + second.saved).sorted().map { [.text($0)] })
    }

    /// A log to which another store appends before each step, a given number of times. Unchecked as the class above it;
    /// a lock protects its state.
    private final class BusyLog: ForwardingLog, @unchecked Sendable {
        let state = Mutex<(count: Int, body: (@Sendable () async throws -> Void)?)>((0, nil))

        override func append(_ entry: SyncEntry, after head: Int64) async throws -> SyncAppendResult {
            let body = state.withLock { state -> (@Sendable () async throws -> Void)? in
                guard entry.kind == .modelVersion, state.count > 0 else { return nil }
                state.count -= 1
                return state.body
            }
            try await body?()
            return try await super.append(entry, after: head)
        }
    }

    @Test("a store whose step others are always faster than gives up for now, and steps when they are less busy")
    func busyLog() async throws {
        let busy = BusyLog(log)
        let first = try Peer("first", folder.file("first.store"), busy, version: 1)
        let second = try Peer("second", folder.file("second.store"), log, version: 1)
        for peer in [first, second] { try await peer.sync.synchronize() }
        try first.update(to: 2)
        try first.write()
        let before = try first.rows()
        // The log runs the closure while the first store waits for it, so that the second is never used by two tasks.
        nonisolated(unsafe) let other = second
        let append: @Sendable () async throws -> Void = {
            try other.write()
            try await other.sync.synchronize()
        }
        busy.state.withLock { $0 = (1000, append) }
        await #expect(throws: SyncError.overtaken(attempts: 20)) { try await first.sync.synchronize() }
        #expect(second.saved.count == 20)
        #expect(try first.rows() == before)
        // With fewer appends of others, it succeeds in the end.
        busy.state.withLock { $0.count = 5 }
        try await first.sync.synchronize()
        #expect(second.saved.count == 25)
        try second.update(to: 2)
        for peer in [second, first] { try await peer.sync.synchronize() }
        #expect(try first.rows() == second.rows())
        let names = try first.container.pool.read { try $0.rows("SELECT \"name\" FROM \"Ship\" ORDER BY \"name\"") }
        #expect(names == (first.saved + second.saved).sorted().map { [.text($0)] })
    }

    @Test("a store that migrates when the log has forgotten what it followed keeps what others inserted")
    func compactedMeanwhile() async throws {
        let first = try Peer("first", folder.file("first.store"), log, version: 1)
        let second = try Peer("second", folder.file("second.store"), log, version: 1)
        try first.write()
        for peer in [first, second] { try await peer.sync.synchronize() }
        try second.write()
        for _ in 0..<3 { try first.write() }
        try first.update(to: 2)
        try first.write()
        try await first.sync.synchronize()
        try await first.sync.makeSnapshot(compacting: true)
        // Twice, before it synchronizes again: it followed entries of the first version only.
        try second.update(to: 2)
        try second.write()
        try second.update(to: 3)
        try first.update(to: 3)
        for peer in [second, first, second] { try await peer.sync.synchronize() }
        #expect(try first.rows() == second.rows())
        let names = try first.container.pool.read { try $0.rows("SELECT \"name\" FROM \"Ship\" ORDER BY \"name\"") }
        #expect(names == (first.saved + second.saved).sorted().map { [.text($0)] })
        #expect(try second.container.copyFollowedState(to: folder.file("copy")) == false)
    }

    @Test("versions that arrive at different times", arguments: seeds()) func mixing(seed: Seed) async throws {
        var generator = SeededGenerator(seed: seed)
        var peers: [Peer] = []
        for number in 0..<3 {
            peers.append(try Peer("peer\(number) ", folder.file("\(number).store"), log, version: 1))
        }
        for _ in 0..<Int.random(in: 6...24, using: &generator) {
            let peer = peers[Int.random(in: 0..<peers.count, using: &generator)]
            switch Int.random(in: 0..<8, using: &generator) {
            case 0...3: try peer.write()
            case 4 where peer.version < 4: try peer.update(to: Int.random(in: peer.version + 1...4, using: &generator))
            case 5:
                do { try await peer.sync.makeSnapshot(compacting: generator.oneIn(2)) } catch SyncError
                    .newerModelVersion
                {}
            default:
                do { try await peer.sync.synchronize() } catch SyncError.newerModelVersion {}
            }
        }
        for peer in peers where peer.version < 4 { try peer.update(to: 4) }
        for peer in peers + peers { try await peer.sync.synchronize() }
        let expected = try peers[0].rows()
        for peer in peers {
            try #require(try peer.rows() == expected, "\(peer.name), seed \(seed)")
            #expect(try peer.container.integrityProblems() == [])
        }
        let names = try peers[0].container.pool.read { try $0.rows("SELECT \"name\" FROM \"Ship\"") }
        #expect(Set(names.map { $0[0].storedText }) == Set(peers.flatMap(\.saved)), "seed \(seed)")
    }
}
