import CLoops
import Foundation

/// The rows of a statement as an expert reads them.
enum HandWritten {
    static let columns = """
        "id$", "version$", "favorite", "image", "latitude", "likes", "longitude", "palette", "text", "timestamp", \
        "title", "author", "day"
        """

    struct Row {
        var favorite: Bool
        var image: Data?
        var latitude: Double
        var likes: Int64
        var longitude: Double
        var palette: Data?
        var text: String
        var timestamp: Date
        var title: String
        var author: Int64
        var day: Int64
    }

    /// Runs a statement and gives the number of its rows, or the number that it counts.
    static func run(_ statement: OpaquePointer, counts: Bool) throws -> Int {
        defer { sqlite3_reset(statement) }
        if counts {
            guard sqlite3_step(statement) == SQLITE_ROW else { throw ConnectionError(description: "no count") }
            return Int(sqlite3_column_int64(statement, 0))
        }
        var rows: [Row] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                Row(
                    favorite: sqlite3_column_int64(statement, 2) != 0, image: data(statement, 3),
                    latitude: sqlite3_column_double(statement, 4), likes: sqlite3_column_int64(statement, 5),
                    longitude: sqlite3_column_double(statement, 6), palette: data(statement, 7),
                    text: text(statement, 8),
                    timestamp: Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, 9)),
                    title: text(statement, 10), author: sqlite3_column_int64(statement, 11),
                    day: sqlite3_column_int64(statement, 12)))
        }
        return rows.count
    }

    private static func text(_ statement: OpaquePointer, _ column: Int32) -> String {
        let bytes = sqlite3_column_text(statement, column)
        return String(
            decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))),
            as: UTF8.self)
    }

    private static func data(_ statement: OpaquePointer, _ column: Int32) -> Data? {
        guard let bytes = sqlite3_column_blob(statement, column) else { return nil }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column)))
    }
}
