@_spi(Hub) import AshlarSync
import Foundation

/// Names in PostgreSQL.
enum PostgresName {
    /// PostgreSQL truncates longer names, so that two may become equal.
    private static let greatestLength = 63

    /// A name in the quotation marks of SQL, as PostgreSQL has it. One that is too long ends with a part of its hash.
    static func quoted(_ name: String) -> String {
        "\"" + bounded(name).replacingOccurrences(of: "\"", with: "\"\"", options: .literal) + "\""
    }

    /// The columns that each table of PostgreSQL has.
    private static let systemColumns: Set = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

    /// The name of a column in quotation marks. A name that PostgreSQL takes for its own columns gets a `$`.
    static func quoted(column name: String) -> String { quoted(systemColumns.contains(name) ? "\(name)$" : name) }

    /// A name as PostgreSQL has it.
    static func bounded(_ name: String) -> String {
        if name.utf8.count <= greatestLength { return name }
        var beginning = ""
        for character in name {
            if beginning.utf8.count + String(character).utf8.count > greatestLength - 13 { break }
            beginning.append(character)
        }
        return "\(beginning)_\(ContentHash.hexadecimal(of: name.utf8).prefix(12))"
    }
}
