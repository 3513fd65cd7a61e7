import Ashlar
import BenchmarkHarness
import CLoops
import Foundation

/// The values of all posts, as the generated structs and as one written by hand.
struct PostArrays {
    let generated: [Post.Values]
    let byHand: [PostValues]

    init(_ stores: GraphStores) throws {
        let readers = try Readers(stores.posts(), stores)
        generated = try ModelContext(readers.container).fetchValues(Post.all)
        var values: [PostValues] = []
        try readers.connection.prepare(LoopPost.select).each { values.append(.decode($0, from: 2)) }
        byHand = values
    }

    static func checksum(_ values: [Post.Values]) -> Checksum {
        Checksum(values) {
            $0.add(
                PostValues(
                    category: $1.category, favorite: $1.favorite, latitude: $1.latitude, likes: $1.likes,
                    longitude: $1.longitude, rating: $1.rating, summary: $1.summary, text: $1.text,
                    timestamp: $1.timestamp, title: $1.title, author: $1.author?.rowID))
        }
    }

    static func checksum(_ values: [PostValues]) -> Checksum { Checksum(values) { $0.add($1) } }
}

/// Encodes the values of all posts, which were fetched before, beside a `Codable` struct with the same properties.
struct EncodeJSON: Workload {
    static let name = "encode JSON"
    static let unit = "all rows"

    private let arrays: PostArrays

    init(_ stores: GraphStores) throws { arrays = try PostArrays(stores) }

    func run(_ contestant: Contestant, _ round: Round) throws {
        try round.read {
            let encoder = JSONEncoder()
            return contestant == .swiftLoop ? try encoder.encode(arrays.byHand) : try encoder.encode(arrays.generated)
        } _: { data in
            let decoder = JSONDecoder()
            return contestant == .swiftLoop
                ? ((try? decoder.decode([PostValues].self, from: data)).map { PostArrays.checksum($0) } ?? Checksum())
                : ((try? decoder.decode([Post.Values].self, from: data)).map { PostArrays.checksum($0) } ?? Checksum())
        }
    }
}

/// Decodes the JSON of the same values.
struct DecodeJSON: Workload {
    static let name = "decode JSON"
    static let unit = "all rows"

    private let generated: Data
    private let byHand: Data

    init(_ stores: GraphStores) throws {
        let arrays = try PostArrays(stores)
        generated = try JSONEncoder().encode(arrays.generated)
        byHand = try JSONEncoder().encode(arrays.byHand)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        if contestant == .swiftLoop {
            try round.read {
                try JSONDecoder().decode([PostValues].self, from: byHand)
            } _: {
                PostArrays.checksum($0)
            }
        } else {
            try round.read {
                try JSONDecoder().decode([Post.Values].self, from: generated)
            } _: {
                PostArrays.checksum($0)
            }
        }
    }
}
