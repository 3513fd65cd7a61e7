import Foundation
import GRDB

/// GRDB's fast form of the ten properties: decoded by the columns' positions.
struct GRDBPostValues: FetchableRecord {
    var values: PostValues

    init(row: Row) { values = PostValues(row, from: 2) }
}

/// A record of a post, in either form.
protocol GRDBPostRecord: FetchableRecord, Sendable {
    var id: Int64? { get }
    var values: PostValues { get }
}

/// GRDB's fast form of a record.
struct GRDBPost: GRDBPostRecord, PersistableRecord {
    static let databaseTableName = "Post"

    var id: Int64?
    var version: Int64
    var values: PostValues

    init(_ values: PostValues) {
        version = 1
        self.values = values
    }

    init(row: Row) {
        id = row[0]
        version = row[1]
        values = PostValues(row, from: 2)
    }

    func encode(to container: inout PersistenceContainer) {
        container["id$"] = id
        container["version$"] = version
        container["favorite"] = values.favorite
        container["image"] = values.image
        container["latitude"] = values.latitude
        container["likes"] = values.likes
        container["longitude"] = values.longitude
        container["palette"] = values.palette
        container["text"] = values.text
        container["timestamp"] = values.timestamp.timeIntervalSinceReferenceDate
        container["title"] = values.title
        container["author"] = values.author
    }
}

/// An object with a dictionary of its own, because GRDB has no identity map.
final class GRDBPostObject {
    let id: Int64
    var values: PostValues

    init(id: Int64, values: PostValues) {
        self.id = id
        self.values = values
    }
}

extension PostValues {
    init(_ row: Row, from first: Int) {
        self.init(
            favorite: row[first], image: row[first + 1], latitude: row[first + 2], likes: row[first + 3],
            longitude: row[first + 4], palette: row[first + 5], text: row[first + 6],
            timestamp: Date(timeIntervalSinceReferenceDate: row[first + 7]), title: row[first + 8],
            author: row[first + 9])
    }

    /// The values for the parameters of ``PostSQL/insert``.
    var arguments: StatementArguments {
        [
            favorite, image, latitude, likes, longitude, palette, text, timestamp.timeIntervalSinceReferenceDate, title,
            author,
        ]
    }
}
