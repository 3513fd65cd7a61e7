import Ashlar
import Foundation
import Observation
import RandomNumbers
import RandomSeeds
import Testing

/// Two contexts that change ordered relationships in every way, and merge each other's saves, agree with the store
/// and notify their followers.
@Suite struct OrderedMergingRandomTests {
    /// Keeps the names that a list shows, as a table view does: it redraws only the reported changes.
    private final class Mirror: FetchedResultsControllerDelegate {
        typealias Model = Playlist
        typealias SectionName = Never
        var lines: [[String]] = []

        static func line(_ playlist: Playlist) -> [String] {
            [playlist.name] + playlist.tracks.map(\.name) + ["-"] + playlist.songs.map(\.name)
        }

        func controller(
            _ controller: FetchedResultsController<Playlist, Never>,
            didChangeContentWith changes: FetchedResultsChanges<Playlist, Never>
        ) {
            let leaving = changes.objects.compactMap { $0.kind == .update ? nil : $0.indexPath }
            for path in leaving.sorted().reversed() { lines.remove(at: path[1]) }
            let coming = changes.objects.filter { $0.kind != .update }.compactMap { change in
                change.newIndexPath.map { ($0, change.object) }
            }
            for (path, object) in coming.sorted(by: { $0.0 < $1.0 }) {
                lines.insert(Self.line(object), at: path[1])
            }
            for change in changes.objects where change.kind == .update {
                if let path = change.newIndexPath { lines[path[1]] = Self.line(change.object) }
            }
        }
    }

    @Test("rows 14, 69, 70, 106: contexts agree on orders", arguments: seeds(20))
    func contextsAgree(seed: Seed) throws {
        var generator = SeededGenerator(seed: seed)
        let first = try memoryContext()
        let second = ModelContext(first.container)
        for context in [first, second] {
            context.automaticallyMergesChangesFromParent = true
            context.isObservable = true
            context.mergePolicy = .mergeByPropertyObjectTrump
        }
        for name in ["p", "q"] {
            let playlist = Playlist(name: name, tracks: (0..<3).map { Track(name: "\(name)\($0)") })
            playlist.songs = ToMany((0..<3).map { Song(name: "\(name)s\($0)") })
            first.insert(playlist)
        }
        try first.save()
        second.processPendingChanges()
        let controllers = [first, second].map { FetchedResultsController(Playlist.order { $0.name.ascending }, in: $0) }
        let mirrors = [Mirror(), Mirror()]
        for (controller, mirror) in zip(controllers, mirrors) {
            try controller.performFetch()
            mirror.lines = controller.fetchedObjects.map(Mirror.line)
            controller.delegate = mirror
        }
        for step in 0..<30 {
            let place: Testing.Comment = "seed \(seed), step \(step)"
            let (writer, reader) = generator.oneIn(2) ? (first, second) : (second, first)
            for _ in 0..<Int.random(in: 1...3, using: &generator) { try Self.change(writer, &generator) }
            // The lines that the other context shows, and whether it is notified to read them again.
            let shown = try Self.playlists(reader).map { playlist in
                let counter = Counter()
                let line = withObservationTracking {
                    Mirror.line(playlist)
                } onChange: {
                    counter.add()
                }
                return (playlist: playlist, line: line, counter: counter)
            }
            try writer.save()
            reader.processPendingChanges()
            let stored = try Self.lines(ModelContext(first.container))
            #expect(try Self.lines(writer) == stored, place)
            #expect(try Self.lines(reader) == stored, place)
            for (playlist, line, counter) in shown where !playlist.isDeleted {
                #expect(Mirror.line(playlist) == line || counter.value > 0, place)
            }
            for (controller, mirror) in zip(controllers, mirrors) {
                #expect(mirror.lines == stored, place)
                #expect(controller.fetchedObjects.map(Mirror.line) == stored, place)
            }
        }
        try first.container.expectSound()
    }

    private static func playlists(_ context: ModelContext) throws -> [Playlist] {
        try context.fetch(Playlist.order { $0.name.ascending })
    }

    private static func lines(_ context: ModelContext) throws -> [[String]] {
        try playlists(context).map(Mirror.line)
    }

    private static func change(_ context: ModelContext, _ generator: inout SeededGenerator) throws {
        let playlists = try playlists(context)
        guard let playlist = playlists.randomElement(using: &generator),
            let other = playlists.first(where: { $0 !== playlist })
        else { return }
        let track = playlist.tracks.randomElement(using: &generator)
        let song = playlist.songs.randomElement(using: &generator)
        let position = Int.random(in: 0...4, using: &generator)
        switch Int.random(in: 0..<16, using: &generator) {
        case 0: playlist.tracks.append(Track(name: "t\(position)"))
        case 1: playlist.tracks.insert(Track(name: "t\(position)"), at: position)
        case 2: if let track { playlist.tracks.move(track, to: position) }
        case 3, 4:
            if let track {
                playlist.tracks.remove(track)
                playlist.tracks.append(track)
            }
        case 5:
            if let track {
                track.playlist = nil
                track.playlist = playlist
            }
        case 6:
            if let track {
                track.playlist = other
                track.playlist = playlist
            }
        case 7: if let track { other.tracks.insert(track, at: position) }
        case 8: track?.playlist = other
        case 9: playlist.tracks = ToMany(playlist.tracks.shuffled(using: &generator))
        case 10: if let track, playlist.tracks.count > 2 { context.delete(track) }
        case 11: playlist.songs = ToMany(playlist.songs.shuffled(using: &generator))
        case 12:
            if let song {
                playlist.songs.remove(song)
                playlist.songs.append(song)
            }
        case 13: if let song { other.songs.insert(song, at: position) }
        case 14: if let song { other.songs.append(song) }
        default:
            let tracks = Array(playlist.tracks)
            playlist.tracks.removeAll()
            for track in tracks.shuffled(using: &generator) { playlist.tracks.append(track) }
        }
    }
}
