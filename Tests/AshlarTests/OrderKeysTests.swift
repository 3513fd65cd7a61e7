import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// Sparse order keys: moving a member writes few rows.
@Suite struct OrderKeysTests {
    @Test(arguments: seeds()) func anyOrderIsKept(_ seed: Seed) {
        var random = SeededGenerator(seed: seed)
        var keys: [Int64?] = []
        for _ in 0..<300 {
            let before = keys
            switch Int.random(in: 0..<8, using: &random) {
            case 0: keys.append(nil)
            case 1: keys.insert(nil, at: 0)
            case 2: keys.insert(nil, at: keys.count / 2)
            case 3: if !keys.isEmpty { keys.remove(at: Int.random(in: keys.indices, using: &random)) }
            case 4: keys.shuffle(using: &random)
            case 5: if !keys.isEmpty { keys.append(keys.remove(at: Int.random(in: keys.indices, using: &random))) }
            case 6: keys = keys.map { random.oneIn(9) ? [Int64.min, .max, 0, 5].randomElement(using: &random) : $0 }
            default: if let key = keys.randomElement(using: &random) { keys.append(key) }
            }
            let given = keys
            let result = OrderKeys.keys(replacing: given)
            #expect(result.count == given.count, "seed \(seed): \(before)")
            #expect(zip(result, result.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed): \(given) gives \(result)")
            keys = result.map { $0 }
            #expect(OrderKeys.keys(replacing: keys) == result, "seed \(seed)")
        }
    }

    @Test func oneThatMovesIsTheOnlyOneThatChanges() {
        let keys = (1...1000).map { Int64($0) << 20 as Int64? }
        for (from, to) in [(999, 0), (0, 999), (500, 3), (10, 700)] {
            var moved = keys
            moved.insert(moved.remove(at: from), at: to)
            let result = OrderKeys.keys(replacing: moved)
            #expect(zip(moved, result).count { $0.0 != $0.1 } == 1)
        }
    }

    /// Members that are always inserted at the same place use up the gap between keys there. Renumbering is rare.
    @Test(arguments: [0, 1, 500]) func insertionsAtOnePlaceCostLittle(_ position: Int) {
        var keys: [Int64?] = (1...1000).map { Int64($0) << 20 }
        var written = 0
        for _ in 0..<2000 {
            keys.insert(nil, at: position)
            let result = OrderKeys.keys(replacing: keys)
            written += zip(keys, result).count { $0.0 != $0.1 }
            keys = result
        }
        #expect(written < 2000 * 12, "\(written) keys")
    }

    private func writtenRows(_ container: ModelContainer, _ body: () throws -> Void) throws -> Int64 {
        func total() throws -> Int64 { try container.pool.write { Int64(sqlite3_total_changes($0.database)) } }
        let before = try total()
        try body()
        return try total() - before
    }

    @Test("row 89: moving one of 10,000 members writes few rows")
    func movesWriteFewRows() throws {
        let context = try memoryContext()
        let playlist = Playlist(name: "p", tracks: (0..<10_000).map { Track(name: "\($0)") })
        let songs = (0..<1000).map { Song(name: "\($0)") }
        playlist.songs = ToMany(songs)
        context.insert(playlist)
        try context.save()
        let moved = playlist.tracks[9_999]
        let rows = try writtenRows(context.container) {
            playlist.tracks.move(moved, to: 0)
            try context.save()
        }
        // The member's key, and the owner's version.
        #expect(rows <= 2, "\(rows) rows")
        let linked = try writtenRows(context.container) {
            playlist.songs.move(songs[0], to: 500)
            try context.save()
        }
        #expect(linked <= 2, "\(linked) rows")
        let inserted = try writtenRows(context.container) {
            playlist.tracks.insert(Track(name: "new"), at: 5000)
            try context.save()
        }
        // Its row, its key, the version, and the last rowid of its table.
        #expect(inserted <= 4, "\(inserted) rows")
        let reader = ModelContext(context.container)
        let read = try #require(try reader.fetch(Playlist.all).first)
        #expect(read.tracks.prefix(2).map(\.name) == ["9999", "0"] && read.tracks[5000].name == "new")
        #expect(read.songs[500].name == "0")
    }
}
