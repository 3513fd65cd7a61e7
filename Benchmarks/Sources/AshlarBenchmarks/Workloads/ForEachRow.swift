import Ashlar
import BenchmarkHarness
import CLoops
import Foundation

/// Reads every column of all rows and keeps none of them.
///
/// The C loop makes the same structs as for fetched values, which lending rows avoids. The Swift loop reads every
/// column and copies nothing.
struct ForEachRow: Workload {
    static let name = "for each row"
    static let unit = "all rows"
    static let contestants: [Contestant] = [.cLoop, .swiftLoop, .ashlar]

    private let connections: ReadConnections
    private let cStatement: HandWrittenStatement
    private let swiftStatement: HandWrittenStatement

    init(_ stores: Stores) throws {
        connections = try ReadConnections(stores)
        cStatement = try connections.forC.prepare(PostSQL.select)
        swiftStatement = try connections.forSwift.prepare(PostSQL.select)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        var sums = PostSums()
        switch contestant {
        case .cLoop:
            var posts = CLoopsPosts()
            let code = try round.measure { CLoopsFetchValues(cStatement.handle, &posts) }
            try connections.forC.check(code)
            for index in 0..<posts.count { sums.add(posts.posts[index]) }
            try round.measure { CLoopsReleaseValues(&posts) }
        case .swiftLoop: try round.measure { try HandWrittenLoops.sum(swiftStatement, &sums) }
        case .ashlar:
            let context = ModelContext(connections.container)
            try round.measure {
                try context.forEachRow(Post.all) { row in
                    sums.favorites &+= try row.favorite ? 1 : 0
                    sums.bytes &+= (try row.image?.byteCount ?? -1) &+ (try row.palette?.byteCount ?? -1)
                    sums.latitude += try row.latitude
                    sums.likes &+= try row.likes
                    sums.longitude += try row.longitude
                    sums.letters &+= (try row.text.count) &+ (try row.title.count)
                    sums.time += try row.timestamp.timeIntervalSinceReferenceDate
                    sums.authors &+= try row.author?.rowID ?? 0
                }
            }
        default: break
        }
        round.verify(sums.checksum)
    }
}

/// The sums over all posts, which are read and not kept.
struct PostSums {
    var favorites: Int64 = 0
    /// Of images and palettes; -1 for one that is nil.
    var bytes = 0
    var latitude = 0.0
    var likes: Int64 = 0
    var longitude = 0.0
    /// Of texts and titles, in bytes.
    var letters = 0
    var time = 0.0
    var authors: Int64 = 0

    mutating func add(_ post: CLoopsPost) {
        favorites += post.favorite ? 1 : 0
        bytes += post.image.bytes == nil ? -1 : post.image.count
        bytes += post.palette.bytes == nil ? -1 : post.palette.count
        latitude += post.latitude
        likes += post.likes
        longitude += post.longitude
        letters += post.text.count + post.title.count
        time += post.timestamp
        authors += post.author
    }

    var checksum: Checksum {
        var result = Checksum()
        for number in [favorites, Int64(bytes), likes, Int64(letters), authors] {
            result.add(UInt64(bitPattern: number))
        }
        for number in [latitude, longitude, time] { result.add(number.bitPattern) }
        return result
    }
}

extension HandWrittenLoops {
    /// Reads every column and copies nothing.
    fileprivate static func sum(_ statement: HandWrittenStatement, _ sums: inout PostSums) throws {
        let handle = statement.handle
        var code = sqlite3_step(handle)
        while code == SQLITE_ROW {
            sums.favorites &+= sqlite3_column_int64(handle, 2) != 0 ? 1 : 0
            sums.bytes &+= blobCount(handle, 3) &+ blobCount(handle, 7)
            sums.latitude += sqlite3_column_double(handle, 4)
            sums.likes &+= sqlite3_column_int64(handle, 5)
            sums.longitude += sqlite3_column_double(handle, 6)
            sums.letters &+= textCount(handle, 8) &+ textCount(handle, 10)
            sums.time += sqlite3_column_double(handle, 9)
            sums.authors &+= sqlite3_column_int64(handle, 11)
            code = sqlite3_step(handle)
        }
        sqlite3_reset(handle)
        try statement.connection.check(code)
    }

    @inline(__always)
    private static func blobCount(_ statement: OpaquePointer, _ column: Int32) -> Int {
        guard sqlite3_column_blob(statement, column) != nil else { return -1 }
        return Int(sqlite3_column_bytes(statement, column))
    }

    @inline(__always)
    private static func textCount(_ statement: OpaquePointer, _ column: Int32) -> Int {
        guard sqlite3_column_text(statement, column) != nil else { return 0 }
        return Int(sqlite3_column_bytes(statement, column))
    }
}
