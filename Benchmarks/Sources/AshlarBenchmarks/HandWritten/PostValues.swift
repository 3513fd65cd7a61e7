import CLoops
import Foundation

/// The ten properties of a post as one writes them by hand.
///
/// It has no initialiser of its own, since the implicit one does not copy the value; GRDB decodes it as `Codable`.
struct PostValues: Codable, Sendable {
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

/// A post as an object in an identity map.
final class PostObject {
    let id: Int64
    let version: Int64
    var values: PostValues

    init(id: Int64, version: Int64, values: PostValues) {
        self.id = id
        self.version = version
        self.values = values
    }
}

extension PostValues {
    /// Decodes the row that a statement stands on, from a column on.
    @inline(__always)
    static func decode(_ statement: OpaquePointer, from first: Int32) -> PostValues {
        PostValues(
            favorite: sqlite3_column_int64(statement, first) != 0,
            image: blob(statement, first + 1),
            latitude: sqlite3_column_double(statement, first + 2),
            likes: sqlite3_column_int64(statement, first + 3),
            longitude: sqlite3_column_double(statement, first + 4),
            palette: blob(statement, first + 5),
            text: text(statement, first + 6),
            timestamp: Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, first + 7)),
            title: text(statement, first + 8),
            author: reference(statement, first + 9))
    }

    @inline(__always)
    private static func text(_ statement: OpaquePointer, _ column: Int32) -> String {
        let bytes = sqlite3_column_text(statement, column)
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    @inline(__always)
    private static func blob(_ statement: OpaquePointer, _ column: Int32) -> Data? {
        guard let bytes = sqlite3_column_blob(statement, column) else { return nil }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column)))
    }

    @inline(__always)
    private static func reference(_ statement: OpaquePointer, _ column: Int32) -> Int64? {
        let value = sqlite3_column_int64(statement, column)
        return value == 0 ? nil : value
    }
}
