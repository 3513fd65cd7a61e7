import BenchmarkHarness
import Foundation
import GRDB

/// A queue with the settings that Ashlar's connections have.
final class GRDBReader: Sendable {
    let queue: DatabaseQueue

    init(_ store: URL) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            for setting in StoreSettings.statements { try database.execute(sql: setting) }
        }
        queue = try DatabaseQueue(path: store.path, configuration: configuration)
    }
}

/// GRDB's fast form of a post: decoded by the columns' positions.
struct GRDBPost: FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "Post"
    static let comments = hasMany(GRDBComment.self, using: ForeignKey(["post"])).forKey("comments")
    static let author = belongsTo(GRDBAuthor.self, using: ForeignKey(["author"])).forKey("author")

    var id: Int64
    var version: Int64
    var values: PostValues

    init(row: Row) {
        (id, version) = (row[0], row[1])
        values = PostValues(
            category: row[2], favorite: row[3], latitude: row[4], likes: row[5], longitude: row[6], rating: row[7],
            summary: row[8], text: row[9], timestamp: Date(timeIntervalSinceReferenceDate: row[10]), title: row[11],
            author: row[12])
    }

    func encode(to container: inout PersistenceContainer) {
        container["id$"] = id
        container["version$"] = version
        container["category"] = values.category
        container["favorite"] = values.favorite
        container["latitude"] = values.latitude
        container["likes"] = values.likes
        container["longitude"] = values.longitude
        container["rating"] = values.rating
        container["summary"] = values.summary
        container["text"] = values.text
        container["timestamp"] = values.timestamp.timeIntervalSinceReferenceDate
        container["title"] = values.title
        container["author"] = values.author
    }
}

struct GRDBComment: FetchableRecord, TableRecord, Sendable {
    static let databaseTableName = "Comment"
    static let post = belongsTo(GRDBPost.self, using: ForeignKey(["post"])).forKey("post")

    var id: Int64
    var version: Int64
    var text: String
    var timestamp: Date
    var author: Int64?
    var post: Int64?

    init(row: Row) {
        (id, version, text) = (row[0], row[1], row[2])
        timestamp = Date(timeIntervalSinceReferenceDate: row[3])
        (author, post) = (row[4], row[5])
    }
}

struct GRDBAuthor: FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "Author"

    var id: Int64
    var version: Int64
    var name: String

    init(row: Row) { (id, version, name) = (row[0], row[1], row[2]) }

    func encode(to container: inout PersistenceContainer) {
        container["id$"] = id
        container["version$"] = version
        container["name"] = name
    }
}

/// A post with its comments.
struct GRDBPostWithComments: FetchableRecord, Sendable {
    var post: GRDBPost
    var comments: [GRDBComment]

    init(row: Row) {
        post = GRDBPost(row: row)
        comments = row["comments"]
    }
}

/// A comment with its post and that post's author.
struct GRDBCommentWithAuthor: FetchableRecord, Sendable {
    var comment: GRDBComment
    var post: GRDBPost?
    var author: GRDBAuthor?

    init(row: Row) {
        comment = GRDBComment(row: row)
        post = row["post"]
        author = row.scopes["post"]?["author"]
    }
}

/// A pair of a relationship that leads to many on both sides.
struct GRDBPair: PersistableRecord, Sendable {
    static let databaseTableName = "Post$tags"

    var source: Int64
    var target: Int64

    func encode(to container: inout PersistenceContainer) {
        container["source$"] = source
        container["target$"] = target
    }
}
