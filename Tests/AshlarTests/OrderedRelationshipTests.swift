import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// Ordered relationships keep the order that they are given.
@Suite struct OrderedRelationshipTests {
    let context: ModelContext

    init() throws { context = try memoryContext() }

    private func storedTracks() throws -> [String] {
        let other = ModelContext(context.container)
        return try other.fetch(Playlist.all).first?.tracks.map(\.name) ?? []
    }

    private func storedSongs() throws -> [[String]] {
        let other = ModelContext(context.container)
        return try other.fetch(Playlist.order { $0.name.ascending }).map { $0.songs.map(\.name) }
    }

    @Test("rows 14, 34, 89: edits persist") func editsPersist() throws {
        let playlist = Playlist(name: "p", tracks: ["a", "b", "c"].map { Track(name: $0) })
        context.insert(playlist)
        try context.save()
        #expect(try storedTracks() == ["a", "b", "c"])
        playlist.tracks.insert(Track(name: "d"), at: 1)
        playlist.tracks.move(playlist.tracks[3], to: 0)
        #expect(playlist.tracks.map(\.name) == ["c", "a", "d", "b"])
        try context.save()
        #expect(try storedTracks() == ["c", "a", "d", "b"])
        #expect(playlist.tracks.remove(at: 1).name == "a")
        playlist.tracks.insert(playlist.tracks[0], at: 99)
        try context.save()
        #expect(try storedTracks() == ["d", "b", "c"])
        playlist.tracks = ToMany(playlist.tracks.reversed())
        try context.save()
        #expect(try storedTracks() == ["c", "b", "d"])
        playlist.tracks.removeAll { $0.name == "b" }
        playlist.tracks.append(contentsOf: [Track(name: "e"), Track(name: "f")])
        try context.save()
        #expect(try storedTracks() == ["c", "d", "e", "f"])
    }

    /// An order that was recorded for one save, or rolled back, is recorded anew for the next, whatever moved
    /// meanwhile.
    @Test func ordersAreNotedForEachSave() throws {
        let playlists = ["p", "q"].map { name in
            Playlist(name: name, songs: ["a", "b", "c"].map { Song(name: $0) })
        }
        for playlist in playlists { context.insert(playlist) }
        try context.save()
        func moveFirstToEnd(_ playlist: Playlist) { playlist.songs.move(playlist.songs[0], to: 2) }
        moveFirstToEnd(playlists[0])
        moveFirstToEnd(playlists[0])
        try context.save()
        #expect(try storedSongs() == [["c", "a", "b"], ["a", "b", "c"]])
        moveFirstToEnd(playlists[0])
        moveFirstToEnd(playlists[1])
        moveFirstToEnd(playlists[0])
        try context.save()
        #expect(try storedSongs() == [["b", "c", "a"], ["b", "c", "a"]])
        moveFirstToEnd(playlists[1])
        context.rollback()
        moveFirstToEnd(playlists[1])
        playlists[1].songs.append(Song(name: "d"))
        moveFirstToEnd(playlists[1])
        try context.save()
        #expect(try storedSongs() == [["b", "c", "a"], ["a", "b", "c", "d"]])
    }

    /// Long lists are kept in chunks. Every operation on them has the same result as on an array, before and after a
    /// save, and an undo reverts it.
    @Test(arguments: seeds(10)) func longListsAreArrays(_ seed: Seed) throws {
        var generator = SeededGenerator(seed: seed)
        let undo = ModelUndoManager()
        var expected = (0..<Int.random(in: 20...900, using: &generator)).map(String.init)
        let playlist = Playlist(name: "p", tracks: expected.map { Track(name: $0) })
        context.insert(playlist)
        if Bool.random(using: &generator) { try context.save() }
        if Bool.random(using: &generator) { context.undoManager = undo }
        context.processPendingChanges()
        let before = expected
        for step in 0..<60 {
            let position = Int.random(in: expected.indices, using: &generator)
            let track = playlist.tracks[position]
            #expect(track.name == expected[position])
            #expect(playlist.tracks.firstIndex(of: track) == position && playlist.tracks.contains(track))
            let place = Int.random(in: 0...expected.count + 1, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0, 1:
                playlist.tracks.move(track, to: place)
                let name = expected.remove(at: position)
                expected.insert(name, at: min(place, expected.count))
            case 2:
                playlist.tracks.insert(Track(name: "n\(step)"), at: place)
                expected.insert("n\(step)", at: min(place, expected.count))
            case 3:
                playlist.tracks.remove(track)
                expected.remove(at: position)
                #expect(!playlist.tracks.contains(track) && playlist.tracks.firstIndex(of: track) == nil)
            default:
                context.delete(track)
                expected.remove(at: position)
            }
            #expect(playlist.tracks.count == expected.count)
        }
        #expect(playlist.tracks.map(\.name) == expected)
        if context.undoManager != nil {
            context.processPendingChanges()
            undo.undo()
            #expect(playlist.tracks.map(\.name) == before)
            undo.redo()
            #expect(playlist.tracks.map(\.name) == expected)
        }
        try context.save()
        #expect(playlist.tracks.map(\.name) == expected)
        #expect(try storedTracks() == expected)
    }

    @Test func appendingToWhatWasNotLoaded() throws {
        context.insert(Playlist(name: "p", tracks: ["a", "b"].map { Track(name: $0) }))
        try context.save()
        let other = ModelContext(context.container)
        let playlist = try #require(try other.fetch(Playlist.all).first)
        playlist.tracks.append(Track(name: "c"))
        Track(name: "d").playlist = playlist
        let added = Track(name: "e")
        added.playlist = playlist
        try other.save()
        #expect(try storedTracks() == ["a", "b", "c", "d", "e"])
        #expect(playlist.tracks.map(\.name) == ["a", "b", "c", "d", "e"])
    }

    @Test func takingAwayAndAppendingMovesToTheEnd() throws {
        context.insert(Playlist(name: "p", tracks: ["a", "b", "c"].map { Track(name: $0) }))
        try context.save()
        for isLoaded in [true, false] {
            let other = ModelContext(context.container)
            let playlist = try #require(try other.fetch(Playlist.all).first)
            let first = try #require(try other.fetch(Track.where { $0.name == (isLoaded ? "a" : "b") }).first)
            if isLoaded { _ = playlist.tracks.count }
            playlist.tracks.remove(first)
            playlist.tracks.append(first)
            try other.save()
            #expect(try storedTracks().last == first.name)
        }
        #expect(try storedTracks() == ["c", "a", "b"])
    }

    /// The order is that of the collection, wherever the insertion began.
    @Test func insertionFromTheOtherEnd() throws {
        let playlist = Playlist(name: "p", tracks: ["a", "b", "c"].map { Track(name: $0) })
        playlist.songs = ToMany(["x", "y", "z"].map { Song(name: $0) })
        let last = playlist.tracks[2]
        context.insert(last)
        #expect(playlist.tracks.map(\.name) == ["a", "b", "c"] && playlist.songs.map(\.name) == ["x", "y", "z"])
        try context.save()
        #expect(try storedTracks() == ["a", "b", "c"] && storedSongs() == [["x", "y", "z"]])
    }

    @Test func movingBetweenOwners() throws {
        let first = Playlist(name: "1", tracks: ["a", "b"].map { Track(name: $0) })
        let second = Playlist(name: "2", tracks: ["c"].map { Track(name: $0) })
        context.insert(first)
        context.insert(second)
        try context.save()
        second.tracks.insert(first.tracks[0], at: 0)
        #expect(first.tracks.map(\.name) == ["b"] && second.tracks.map(\.name) == ["a", "c"])
        try context.save()
        let other = ModelContext(context.container)
        #expect(
            try other.fetch(Playlist.order { $0.name.ascending }).map { $0.tracks.map(\.name) } == [["b"], ["a", "c"]])
    }

    @Test func manyToManyWithOneOrderedSide() throws {
        let songs = ["x", "y", "z"].map { Song(name: $0) }
        let lists = ["1", "2"].map { Playlist(name: $0) }
        for object in lists { context.insert(object) }
        lists[0].songs = ToMany(songs)
        lists[1].songs = [songs[2], songs[0]]
        try context.save()
        #expect(try storedSongs() == [["x", "y", "z"], ["z", "x"]])
        lists[0].songs.move(songs[2], to: 0)
        lists[1].songs.insert(songs[1], at: 1)
        try context.save()
        #expect(try storedSongs() == [["z", "x", "y"], ["z", "y", "x"]])
        // The unordered side adds at the end.
        let added = Song(name: "w")
        added.playlists = [lists[0], lists[1]]
        songs[0].playlists.remove(lists[0])
        try context.save()
        #expect(try storedSongs() == [["z", "y", "w"], ["z", "y", "x", "w"]])
        #expect(lists.map { $0.songs.map(\.name) } == [["z", "y", "w"], ["z", "y", "x", "w"]])
        lists[1].songs = []
        try context.save()
        #expect(try storedSongs() == [["z", "y", "w"], []])
    }

    @Test func orderedToItself() throws {
        let nodes = ["a", "b", "c"].map { Node(name: $0) }
        for node in nodes { context.insert(node) }
        nodes[0].ranking = [nodes[2], nodes[0], nodes[1]]
        nodes[1].ranking = [nodes[1], nodes[2]]
        try context.save()
        let other = ModelContext(context.container)
        let read = try other.fetch(Node.order { $0.name.ascending })
        #expect(read.map { $0.ranking.map(\.name) } == [["c", "a", "b"], ["b", "c"], []])
        #expect(read.map { Set($0.rankedBy.map(\.name)) } == [["a"], ["a", "b"], ["a", "b"]])
    }

    @Test func rollbackRestoresTheOrder() throws {
        let playlist = Playlist(name: "p", tracks: ["a", "b", "c"].map { Track(name: $0) })
        context.insert(playlist)
        try context.save()
        playlist.tracks.move(playlist.tracks[2], to: 0)
        playlist.tracks.remove(at: 1)
        context.rollback()
        #expect(playlist.tracks.map(\.name) == ["a", "b", "c"])
        #expect(!context.hasChanges)
    }

    @Test func onlyAReorderingIsAChange() throws {
        let playlist = Playlist(name: "p", tracks: ["a", "b"].map { Track(name: $0) })
        context.insert(playlist)
        try context.save()
        playlist.tracks.move(playlist.tracks[1], to: 0)
        #expect(context.hasChanges && playlist.hasChanges)
        try context.save()
        #expect(!context.hasChanges && !playlist.hasChanges)
    }

    /// A value that was changed back does not hide that the order changed.
    @Test func aReorderingIsToldWhereAValueWasChangedBack() throws {
        let playlist = Playlist(name: "p", tracks: ["a", "b", "c"].map { Track(name: $0) })
        context.insert(playlist)
        try context.save()
        let other = ModelContext(context.container)
        other.automaticallyMergesChangesFromParent = true
        let read: Playlist = try other.model(for: playlist.persistentModelID)
        #expect(read.tracks.map(\.name) == ["a", "b", "c"])
        playlist.name = "q"
        playlist.name = "p"
        playlist.tracks.move(playlist.tracks[2], to: 0)
        try context.save()
        other.processPendingChanges()
        #expect(read.tracks.map(\.name) == ["c", "a", "b"])
    }

    // MARK: Members of rows that others wrote

    private static let objectPolicies = [MergePolicy.mergeByPropertyObjectTrump, .overwrite]

    /// The merge keeps the list as it was, and so does the save that inserts the row again.
    @Test(arguments: objectPolicies, [true, false])
    func anObjectThatIsInsertedAgainComesBackToItsPlace(_ policy: MergePolicy, _ merges: Bool) throws {
        context.mergePolicy = policy
        context.automaticallyMergesChangesFromParent = merges
        let tracks = ["i", "j", "k"].map { Track(name: $0) }
        let playlist = Playlist(name: "p", tracks: tracks)
        context.insert(playlist)
        try context.save()
        #expect(playlist.tracks.array == tracks)
        tracks[1].name = "changed"
        let other = ModelContext(context.container)
        other.delete(try other.model(for: tracks[1].persistentModelID) as Track)
        try other.save()
        context.processPendingChanges()
        #expect(playlist.tracks.array == tracks)
        try context.save()
        #expect(playlist.tracks.array == tracks)
        #expect(try storedTracks() == ["i", "changed", "k"])
    }

    @Test(arguments: objectPolicies) func anObjectThatIsInsertedAgainIsTheLastWhereItsPlaceIsUnknown(
        _ policy: MergePolicy
    ) throws {
        let tracks = ["i", "j", "k"].map { Track(name: $0) }
        context.insert(Playlist(name: "p", tracks: tracks))
        try context.save()
        let fresh = ModelContext(context.container)
        fresh.mergePolicy = policy
        let track: Track = try fresh.model(for: tracks[1].persistentModelID)
        track.name = "changed"
        context.delete(tracks[1])
        try context.save()
        try fresh.save()
        #expect(try storedTracks() == ["i", "k", "changed"])
    }

    @Test(
        "row 67: members of a new object come after those of the row that has its unique values",
        arguments: [MergePolicy.mergeByPropertyStoreTrump] + objectPolicies, [true, false])
    func membersOfAnUpsertAreTheLast(_ policy: MergePolicy, _ isKnown: Bool) throws {
        let context = ModelContext(try memoryContainer(HarborModel.self))
        func vessel(_ moorings: String, _ routes: String, _ context: ModelContext) -> Vessel {
            let vessel = Vessel(name: "v")
            context.insert(vessel)
            for label in moorings { vessel.moorings.append(Mooring(label: String(label), vessel: vessel)) }
            for title in routes { vessel.routes.append(Route(title: String(title))) }
            return vessel
        }
        let old = vessel("12345", "123", context)
        try context.save()
        let writer = isKnown ? context : ModelContext(context.container)
        writer.mergePolicy = policy
        for names in ["abc", "xyz"] { _ = vessel(names, names, writer) }
        try writer.save()
        let reader = ModelContext(context.container)
        let read = try #require(try reader.fetch(Vessel.all).first)
        #expect(read.moorings.map(\.label).joined() == "12345abcxyz")
        #expect(read.routes.map(\.title).joined() == "123abcxyz")
        if isKnown { #expect(old.moorings.map(\.label).joined() == "12345abcxyz") }
    }
}
