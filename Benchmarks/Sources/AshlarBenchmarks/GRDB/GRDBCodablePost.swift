import Foundation
import GRDB

extension PostValues: FetchableRecord {
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSinceReferenceDate
    }
}

/// GRDB's convenient form of a record: the compiler writes its coding.
struct GRDBCodablePost: Codable, GRDBPostRecord, PersistableRecord {
    static let databaseTableName = "Post"

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSinceReferenceDate
    }

    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .timeIntervalSinceReferenceDate
    }

    enum CodingKeys: String, CodingKey {
        case id = "id$"
        case version = "version$"
        case favorite, image, latitude, likes, longitude, palette, text, timestamp, title, author
    }

    var id: Int64?
    var version: Int64
    var favorite: Bool
    var image: Data?
    var latitude: Double
    var likes: Int64
    var longitude: Double
    var palette: Data?
    var text: String
    var timestamp: Date
    var title: String
    var author: Int64?
}

extension GRDBCodablePost {
    init(_ values: PostValues) {
        self.init(
            id: nil, version: 1, favorite: values.favorite, image: values.image, latitude: values.latitude,
            likes: values.likes, longitude: values.longitude, palette: values.palette, text: values.text,
            timestamp: values.timestamp, title: values.title, author: values.author)
    }

    var values: PostValues {
        PostValues(
            favorite: favorite, image: image, latitude: latitude, likes: likes, longitude: longitude, palette: palette,
            text: text, timestamp: timestamp, title: title, author: author)
    }
}
