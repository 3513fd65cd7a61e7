import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// The order of members in the store, whichever statements write it.
@Suite struct StoredOrderTests {
    /// Few members that move are written one by one, many by one statement. Lists that lie among others' rows are
    /// found by an index, others by scanning a range. Each way leads to the order of an array of names.
    @Test(arguments: seeds(12)) func isThatOfArrays(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        let context = try memoryContext()
        let count = Int.random(in: 1...4, using: &random)
        let sizes = (0..<count).map { _ in [0, 1, 3, 40, 70, 300].randomElement(using: &random) ?? 0 }
        let playlists = (0..<count).map { Playlist(name: "\($0)") }
        for playlist in playlists { context.insert(playlist) }
        let isMixed = Bool.random(using: &random)
        var next = 0
        func add(to list: Int) {
            playlists[list].tracks.append(Track(name: "t\(next)"))
            playlists[list].songs.append(Song(name: "s\(next)"))
            next += 1
        }
        // The rows of a list lie among the others', or side by side.
        for place in 0..<(isMixed ? sizes.max() ?? 0 : 0) {
            for list in 0..<count where place < sizes[list] { add(to: list) }
        }
        if !isMixed {
            for list in 0..<count {
                for _ in 0..<sizes[list] { add(to: list) }
                try context.save()
            }
        }
        try context.save()
        for round in 0..<6 {
            for (list, playlist) in playlists.enumerated() where !random.oneIn(4) {
                let size = playlist.tracks.count
                for _ in 0..<([0, 1, 2, size / 8, size * 2].randomElement(using: &random) ?? 0) where size > 0 {
                    let (from, to) = (
                        Int.random(in: 0..<size, using: &random), Int.random(in: 0..<size, using: &random)
                    )
                    playlist.tracks.move(playlist.tracks[from], to: to)
                    playlist.songs.move(playlist.songs[to], to: from)
                }
                if random.oneIn(3) { add(to: list) }
                if random.oneIn(5), size > 0 { playlist.songs.remove(at: Int.random(in: 0..<size, using: &random)) }
                if random.oneIn(5), size > 0 { playlist.tracks.remove(at: Int.random(in: 0..<size, using: &random)) }
                while playlist.songs.count > playlist.tracks.count { playlist.songs.remove(at: 0) }
                while playlist.tracks.count > playlist.songs.count { playlist.tracks.remove(at: 0) }
            }
            try context.save()
            let reader = ModelContext(context.container)
            let stored = try reader.fetch(Playlist.order { $0.name.ascending })
            for (found, playlist) in zip(stored, playlists) {
                let comment: Testing.Comment = "seed \(seed), round \(round), list \(playlist.name) of \(sizes)"
                #expect(
                    found.modelContext === reader && found.tracks.map(\.name) == playlist.tracks.map(\.name), comment)
                #expect(found.songs.map(\.name) == playlist.songs.map(\.name), comment)
            }
        }
    }

    /// Moves of ten members among fifty take as many statements as a move of one.
    @Test func manyAreOneStatement() throws {
        let context = try memoryContext()
        let playlist = Playlist(name: "p", tracks: (0..<50).map { Track(name: "\($0)") })
        context.insert(playlist)
        try context.save()
        func statements(_ body: () throws -> Void) throws -> Int {
            let before = context.statementCount
            try body()
            return context.statementCount - before
        }
        let one = try statements {
            playlist.tracks.move(playlist.tracks[0], to: 49)
            try context.save()
        }
        let ten = try statements {
            for place in 0..<10 { playlist.tracks.move(playlist.tracks[place * 3], to: 49 - place * 2) }
            try context.save()
        }
        #expect(ten == one)
    }

    /// The history records each member that moves, and no other.
    @Test(arguments: [1, 30]) func theHistoryTellsOfThoseThatMove(_ count: Int) throws {
        let folder = try TemporaryFolder()
        let container = try ModelContainer(
            for: TortureModel.self,
            configurations: ModelConfiguration(url: folder.file(), options: StoreOptions(historyTracking: true)))
        let context = ModelContext(container)
        let playlist = Playlist(name: "p", tracks: (0..<40).map { Track(name: "\($0)") })
        context.insert(playlist)
        try context.save()
        let token = try container.currentHistoryToken()
        // The first ones move behind all others, which stay.
        for _ in 0..<count { playlist.tracks.move(playlist.tracks[0], to: 39) }
        try context.save()
        let changes = try container.fetchHistory(.fetchHistory(after: token)).flatMap(\.changes)
        let tracks = Set(changes.map(\.changedObjectID).filter { $0.entityName == "Track" })
        #expect(tracks.count == min(count, 40 - count))
    }
}
