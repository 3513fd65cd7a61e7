@_spi(Hub) import AshlarSync
import CPlainSQLite
import Foundation
import PostgresLog
import Testing

/// Rows of a store and of a log's tables as texts, each read by SQL alone.
enum RowTexts {
    private struct Column {
        var name: String
        var type: String
    }

    /// The columns whose values differ between stores.
    private static let ownColumns: Set<String> = ["version$", "photoCount"]

    /// Requires that the tables of a log have the rows of a store, whose file no transaction changes.
    ///
    /// - Parameter values: The values that the store leaves with its log.
    static func requireEqual(
        _ schema: String, _ store: URL, _ comment: String = "", values: [Data] = []
    ) async throws {
        let tables = try await columns(of: schema)
        let plain = try PlainStore(
            store, Dictionary(uniqueKeysWithValues: values.map { (ContentHash.hexadecimal(of: $0), $0) }))
        #expect(try plain.tables() == tables.keys.sorted(), "\(comment)")
        for (table, columns) in tables.sorted(by: { $0.key < $1.key }) {
            let known = try plain.columns(of: table)
            let names = columns.map { column in known.first { shortened($0) == column.name } ?? column.name }
            #expect(Set(known).subtracting(names).isSubset(of: ownColumns), "\(table)")
            let mine = try await rows(of: table, columns, schema)
            let theirs = try plain.rows(of: table, names) { position, value in
                text(value, as: columns[position].type, names[position], table, plain)
            }
            #expect(mine.sorted() == theirs.sorted(), "\(table) \(comment)")
        }
    }

    /// A name as PostgreSQL has it, which has no more than 63 bytes.
    private static func shortened(_ name: String) -> String {
        name.utf8.count <= 63 ? name : "\(name.prefix(50))_\(ContentHash.hexadecimal(of: name.utf8).prefix(12))"
    }

    /// Runs SQL with PostgreSQL's own program, and returns its rows.
    static func query(_ sql: String, status: Int32 = 0) async throws -> [String] {
        let address = try #require(TestDatabase.address)
        let answer = try await run(
            "psql", [address, "-X", "-q", "-A", "-t", "-F", "|", "-P", "null=NULL", "-v", "ON_ERROR_STOP=1", "-c", sql])
        #expect(answer.status == status, "\(sql): \(answer.output)")
        return answer.output.split(separator: "\n").map(String.init)
    }

    private static func columns(of schema: String) async throws -> [String: [Column]] {
        var columns: [String: [Column]] = [:]
        let rows = try await query(
            """
            SELECT table_name, column_name, data_type FROM information_schema.columns
            WHERE table_schema = '\(schema)' ORDER BY table_name, ordinal_position
            """)
        for row in rows {
            let parts = row.split(separator: "|").map(String.init)
            columns[parts[0], default: []].append(Column(name: parts[1], type: parts[2]))
        }
        return columns
    }

    private static func rows(of table: String, _ columns: [Column], _ schema: String) async throws -> [String] {
        let list = columns.map { column in
            let name = "\"\(column.name)\""
            return switch column.type {
            case "boolean": "\(name)::int"
            case "text": "encode(convert_to(\(name), 'UTF8'), 'hex')"
            case "bytea": "encode(sha256(\(name)), 'hex')"
            case "uuid": "replace(\(name)::text, '-', '')"
            case "timestamp with time zone": "(extract(epoch FROM \(name)) * 1000000)::bigint"
            default: name
            }
        }
        let rows = try await query("SELECT \(list.joined(separator: ", ")) FROM \"\(schema)\".\"\(table)\"")
        return rows.map { row in
            let values = row.split(separator: "|", omittingEmptySubsequences: false)
            return zip(values, columns).map { value, column in
                column.type == "double precision" ? Double(value).map { "\($0)" } ?? "\(value)" : "\(value)"
            }.joined(separator: "|")
        }
    }

    /// A value of a store as the query above has it.
    private static func text(
        _ value: PlainStore.Value, as type: String, _ column: String, _ table: String, _ store: PlainStore
    ) -> String {
        func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
            bytes.map { String(format: "%02x", $0) }.joined()
        }
        switch value {
        case .null: return column == "entity$" ? hexadecimal(table.utf8) : "NULL"
        case .integer(let number): return "\(number)"
        case .real(let number):
            if type != "timestamp with time zone" { return "\(number)" }
            return "\(Int64(((number + Date.timeIntervalBetween1970AndReferenceDate) * 1_000_000).rounded()))"
        case .text(let text):
            if type == "numeric" { return text }
            return hexadecimal(text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}").utf8 : text.utf8)
        case .bytes(let bytes):
            let content = store.content(bytes)
            // Identifiers are short, and JSON is text there.
            return type == "bytea" ? ContentHash.hexadecimal(of: content) : hexadecimal(content)
        }
    }
}

/// A store's file, read by SQLite without Ashlar.
private final class PlainStore {
    enum Value {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case bytes(Data)
    }

    private let url: URL
    /// The values that the store leaves with its log, by their hashes.
    private let values: [String: Data]
    private var handle: OpaquePointer?

    init(_ url: URL, _ values: [String: Data]) throws {
        (self.url, self.values) = (url, values)
        try #require(sqlite3_open_v2(url.path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    }

    deinit { sqlite3_close_v2(handle) }

    func tables() throws -> [String] {
        try texts(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'ashlar$*' AND name NOT GLOB 'sqlite_*'"
        ).sorted()
    }

    func columns(of table: String) throws -> [String] { try texts("SELECT name FROM pragma_table_info('\(table)')") }

    func rows(of table: String, _ columns: [String], _ text: (Int, Value) -> String) throws -> [String] {
        let list = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        return try rows("SELECT \(list) FROM \"\(table)\"").map { row in
            row.enumerated().map { text($0, $1) }.joined(separator: "|")
        }
    }

    /// The bytes of a value, which may be in a file of its own.
    func content(_ bytes: Data) -> Data {
        let dataTag = Data("ashlar$data:".utf8)
        if bytes.starts(with: dataTag) { return bytes.dropFirst(dataTag.count) }
        let valueTag = Data("ashlar$value:".utf8)
        if bytes.starts(with: valueTag) {
            return values[String(decoding: bytes.dropFirst(valueTag.count), as: UTF8.self)] ?? Data("missing".utf8)
        }
        let tag = Data("ashlar$file:".utf8)
        guard bytes.starts(with: tag) else { return bytes }
        let name = String(decoding: bytes.dropFirst(tag.count).prefix(36), as: UTF8.self)
        let folder = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent)_SUPPORT/_EXTERNAL_DATA/\(name)")
        return (try? Data(contentsOf: folder)) ?? Data("missing".utf8)
    }

    private func texts(_ sql: String) throws -> [String] {
        try rows(sql).map { row in
            guard case .text(let text)? = row.first else { return "" }
            return text
        }
    }

    private func rows(_ sql: String) throws -> [[Value]] {
        var statement: OpaquePointer?
        try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, "\(sql)")
        defer { sqlite3_finalize(statement) }
        var rows: [[Value]] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append((0..<sqlite3_column_count(statement)).map { value(statement, $0) })
        }
        return rows
    }

    private func value(_ statement: OpaquePointer?, _ column: Int32) -> Value {
        let count = Int(sqlite3_column_bytes(statement, column))
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
        case SQLITE_NULL: return .null
        case SQLITE_TEXT:
            let bytes = UnsafeBufferPointer(start: sqlite3_column_text(statement, column), count: count)
            return .text(String(decoding: bytes, as: UTF8.self))
        default:
            return .bytes(sqlite3_column_blob(statement, column).map { Data(bytes: $0, count: count) } ?? Data())
        }
    }
}
