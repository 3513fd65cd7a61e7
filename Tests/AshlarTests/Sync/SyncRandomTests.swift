import AshlarSQLite
import AshlarSync
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// Stores that follow one log, written at random and joined at random: in the end all are equal and sound, and
/// satisfy the rules of the model.
@Suite struct SyncRandomTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("stores that follow one log end equal", arguments: seeds())
    func following(seed: Seed) async throws {
        var generator = SeededGenerator(seed: seed)
        let fleet = try SyncFleet(folder, count: Int.random(in: 2...5, using: &generator), seed: seed)
        let isFaulty = generator.oneIn(2)
        for _ in 0..<Int.random(in: 4...16, using: &generator) {
            let number = Int.random(in: 0..<fleet.peers.count, using: &generator)
            try fleet.write(number, &generator)
            fleet.log.rate.withLock { $0 = isFaulty ? 4 : 0 }
            switch Int.random(in: 0..<12, using: &generator) {
            case 0...5: try await fleet.exchange(number)
            case 6: try fleet.reopen(number)
            case 7: try await fleet.makeSnapshot(number)
            case 8: try await fleet.readLargeValues(number)
            default: break
            }
        }
        fleet.log.rate.withLock { $0 = 0 }
        try await fleet.settle()
        let expected = try StoredRows(fleet.peers[0].container)
        for (number, peer) in fleet.peers.enumerated() {
            let difference = try StoredRows(peer.container).difference(from: expected)
            try #require(difference == nil, "store \(number), seed \(seed)")
            try peer.container.expectSound("store \(number), seed \(seed)")
            let broken = try HarborRules.broken(in: peer.container)
            try #require(broken == [], "store \(number), seed \(seed)")
            try #require(try doubledPositions(peer.container) == [], "store \(number), seed \(seed)")
        }
    }
}

/// The orders in which two members of an owner have the same position.
private func doubledPositions(_ container: ModelContainer) throws -> [String] {
    try container.pool.read { connection in
        try StoredOrder.orders(of: container.model).filter { order in
            let (owner, position) = (order.owner.quotedIdentifier, order.position.quotedIdentifier)
            return try !connection.rows(
                "SELECT 1 FROM \(order.table.quotedIdentifier) WHERE \(owner) IS NOT NULL GROUP BY \(owner), \(position) "
                    + "HAVING count(*) > 1"
            ).isEmpty
        }.map { "\($0.table).\($0.position)" }
    }
}

/// Stores of the Harbor model that follow one log.
final class SyncFleet {
    struct Peer {
        var container: ModelContainer
        var sync: StoreSync
    }

    private(set) var peers: [Peer] = []
    let log: FaultyLog
    private let folder: TemporaryFolder

    init(_ folder: TemporaryFolder, count: Int, seed: Seed) throws {
        self.folder = folder
        log = FaultyLog(try StoreLog(at: folder.file("log")), seed: seed)
        for number in 0..<count { peers.append(try open(number)) }
    }

    private func open(_ number: Int) throws -> Peer {
        var configuration = ModelConfiguration(
            url: folder.file("\(number).store"), options: StoreOptions(historyTracking: true))
        configuration.externalStorageThreshold = 64
        let container = try ModelContainer(for: HarborModel.self, configurations: configuration)
        var options = SyncOptions()
        options.largeValueThreshold = 96
        options.batchCount = 3
        return Peer(container: container, sync: try StoreSync(container, with: log, options: options))
    }

    /// Reopens a store, as a program that is restarted does.
    func reopen(_ number: Int) throws { peers[number] = try open(number) }

    func exchange(_ number: Int) async throws {
        do {
            try await peers[number].sync.synchronize()
        } catch is FaultyLog.Lost {}
    }

    func makeSnapshot(_ number: Int) async throws {
        do {
            try await peers[number].sync.makeSnapshot()
        } catch is FaultyLog.Lost {}
    }

    func readLargeValues(_ number: Int) async throws {
        do {
            try await peers[number].sync.readLargeValues()
        } catch is FaultyLog.Lost {}
    }

    func write(_ number: Int, _ generator: inout SeededGenerator) throws {
        let context = ModelContext(peers[number].container)
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
            try HarborChanges(context).make(&generator)
            do {
                try context.save()
            } catch is SaveError {
                // Values that are not unique, and deletions that are denied.
                context.rollback()
            }
        }
    }

    func settle() async throws {
        for _ in 0..<2 { for peer in peers { try await peer.sync.synchronize() } }
    }
}
