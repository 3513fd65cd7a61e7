import Ashlar
import BenchmarkHarness
import CLoops
import Foundation

/// The common parts of the workloads on ordered many-to-many relationships.
enum TrackPairs {
    /// The order, and not the numbers that keep it.
    static let proof = #"SELECT "source$", "target$" FROM "Playlist$tracks" ORDER BY "source$", "target$order""#

    static let proofs = [
        proof, #"SELECT "id$", "version$" FROM "Playlist" ORDER BY "id$""#,
        #"SELECT "id$", "version$" FROM "Track" ORDER BY "id$""#,
    ]

    /// The members of each playlist in their order.
    static func lists(_ connection: HandWrittenConnection, _ count: Int) throws -> [LoopList] {
        var members = [[LoopMember]](repeating: [], count: count)
        try connection.prepare(
            #"""
            SELECT "source$", "target$", "title", "target$order" FROM "Playlist$tracks" JOIN "Track" ON "id$" = "target$"
            ORDER BY "source$", "target$order"
            """#
        ).each {
            members[Int($0.integer(0)) - 1].append(
                LoopMember(id: $0.integer(1), title: $0.text(2), key: $0.integer(3)))
        }
        return members.map { LoopList($0) }
    }

    /// All playlists in a context with their tracks, for the caller to hold, as the loop holds its own: a context
    /// releases objects without references, and a count alone would read no track.
    static func playlists(_ context: ModelContext) throws -> (playlists: [Playlist], tracks: [[Track]]) {
        let playlists = try context.fetch(Playlist.order { $0.name })
            .sorted { $0.persistentModelID.rowID < $1.persistentModelID.rowID }
        return (playlists, playlists.map { Array($0.tracks) })
    }
}

/// Appends fifty tracks to each playlist, one by one, and saves.
struct AppendTracks: Workload {
    static let name = "append tracks, ordered"
    static let unit = "as many as rows"
    static let contestants: [Contestant] = [.swiftLoop, .ashlar, .grdbRecord]

    private let stores: GraphStores
    private let template: URL

    init(_ stores: GraphStores) throws {
        self.stores = stores
        template = try stores.tracks()
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        try stores.withCopy(of: template, round, TrackPairs.proofs) { url in
            let count = stores.playlistCount
            switch contestant {
            case .swiftLoop:
                let connection = try HandWrittenConnection(url)
                var tracks: [LoopMember] = []
                try connection.prepare(#"SELECT "id$", "title" FROM "Track""#).each {
                    tracks.append(LoopMember(id: $0.integer(0), title: $0.text(1), key: 0))
                }
                let insert = try connection.prepare(
                    #"INSERT INTO "Playlist$tracks" ("source$", "target$", "target$order") VALUES (?1, ?2, ?3)"#)
                var lists = [[LoopMember]](repeating: [], count: count)
                try round.measure {
                    try connection.transaction {
                        for list in 0..<count {
                            for number in 0..<50 {
                                let track = tracks[place(list, number)]
                                lists[list].append(track)
                                try insert.run {
                                    $0.bind(Int64(list + 1), 1)
                                    $0.bind(track.id, 2)
                                    $0.bind(Int64(number + 1) << 20, 3)
                                }
                            }
                        }
                        try connection.countUp("Playlist", 1...Int64(count))
                        try connection.countUp("Track", Set(lists.joined().map(\.id)))
                    }
                }
            case .grdbRecord:
                try GRDBReader(url).insertOrderedPairs(round) { insert in
                    for list in 0..<count {
                        for number in 0..<50 {
                            try insert(Int64(list + 1), Int64(place(list, number) + 1), Int64(number + 1) << 20)
                        }
                    }
                }
            default:
                let context = ModelContext(try stores.container(url))
                let tracks = try context.fetch(Track.all)
                let playlists = try TrackPairs.playlists(context).playlists
                try round.measure {
                    for (list, playlist) in playlists.enumerated() {
                        for number in 0..<50 { playlist.tracks.append(tracks[place(list, number)]) }
                    }
                    try context.save()
                }
            }
        }
    }

    @inline(__always)
    private func place(_ list: Int, _ number: Int) -> Int { (list * 50 + number) * 7 % stores.rows }
}

/// Takes every fifth track from each playlist, and saves.
struct RemoveTracks: Workload {
    static let name = "remove tracks, ordered"
    static let unit = "a fifth of the rows"

    private let stores: GraphStores
    private let template: URL

    init(_ stores: GraphStores) throws {
        self.stores = stores
        template = try stores.playlists()
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        try stores.withCopy(of: template, round, TrackPairs.proofs) { url in
            if contestant == .swiftLoop {
                let connection = try HandWrittenConnection(url)
                var lists = try TrackPairs.lists(connection, stores.playlistCount)
                let delete = try connection.prepare(
                    #"DELETE FROM "Playlist$tracks" WHERE "source$" = ?1 AND "target$" = ?2"#)
                var changed: Set<Int64> = []
                try round.measure {
                    try connection.transaction {
                        for index in lists.indices {
                            for place in stride(from: 45, through: 0, by: -5) {
                                let track = lists[index].members.remove(at: place)
                                changed.insert(track.id)
                                try delete.run {
                                    $0.bind(Int64(index + 1), 1)
                                    $0.bind(track.id, 2)
                                }
                            }
                        }
                        try connection.countUp("Playlist", 1...Int64(lists.count))
                        try connection.countUp("Track", changed)
                    }
                }
            } else {
                let context = ModelContext(try stores.container(url))
                let (playlists, tracks) = try TrackPairs.playlists(context)
                defer { withExtendedLifetime(tracks) {} }
                try round.measure {
                    for playlist in playlists {
                        for place in stride(from: 45, through: 0, by: -5) { playlist.tracks.remove(at: place) }
                    }
                    try context.save()
                }
            }
        }
    }
}

/// Moves ten tracks within each playlist, and saves.
struct MoveTracks: Workload {
    static let name = "move tracks, ordered"
    static let unit = "a fifth of the rows"

    private let stores: GraphStores
    private let template: URL

    init(_ stores: GraphStores) throws {
        self.stores = stores
        template = try stores.playlists()
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        try stores.withCopy(of: template, round, TrackPairs.proofs) { url in
            if contestant == .swiftLoop {
                let connection = try HandWrittenConnection(url)
                var lists = try TrackPairs.lists(connection, stores.playlistCount)
                let update = try connection.prepare(
                    #"UPDATE "Playlist$tracks" SET "target$order" = ?1 WHERE "source$" = ?2 AND "target$" = ?3"#)
                try round.measure {
                    try connection.transaction {
                        for index in lists.indices {
                            for number in 0..<10 { lists[index].move(from: from(index, number), to: to(index, number)) }
                            for (id, track) in lists[index].changed {
                                try update.run {
                                    $0.bind(track.key, 1)
                                    $0.bind(Int64(index + 1), 2)
                                    $0.bind(id, 3)
                                }
                            }
                        }
                        try connection.countUp("Playlist", 1...Int64(lists.count))
                    }
                }
            } else {
                let context = ModelContext(try stores.container(url))
                let (playlists, tracks) = try TrackPairs.playlists(context)
                defer { withExtendedLifetime(tracks) {} }
                try round.measure {
                    for (index, playlist) in playlists.enumerated() {
                        for number in 0..<10 {
                            playlist.tracks.move(playlist.tracks[from(index, number)], to: to(index, number))
                        }
                    }
                    try context.save()
                }
            }
        }
    }

    @inline(__always) private func from(_ list: Int, _ number: Int) -> Int { (list * 13 + number * 17) % 50 }
    @inline(__always) private func to(_ list: Int, _ number: Int) -> Int { (list * 7 + number * 31 + 5) % 50 }
}
