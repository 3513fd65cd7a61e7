@_spi(Hub) import AshlarSync
import Foundation
@_spi(Hub) import LogTables

/// A table of a log's rows in PostgreSQL. Its only constraint is the key: the rows come from a store, which has all
/// others.
struct PostgresTable {
    private let table: LogTable
    private let name: String
    private let keys: String
    private let columns: String
    private let assignments: String

    /// PostgreSQL accepts at most 65,535 values in a statement.
    private static let greatestValueCount = 20_000
    private static let greatestSize = 4 << 20

    init(_ table: LogTable, inSchema schema: String) {
        self.table = table
        name = "\(PostgresName.quoted(schema)).\(PostgresName.quoted(table.name))"
        let names = table.columns.map { PostgresName.quoted(column: $0.name) }
        keys = names.prefix(table.keyCount).joined(separator: ", ")
        columns = names.joined(separator: ", ")
        assignments = names.dropFirst(table.keyCount).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    }

    /// The statement that creates the table.
    var definition: String {
        let lines = table.columns.map { "\(PostgresName.quoted(column: $0.name)) \($0.type.name)" }
        return "CREATE TABLE \(name) (\(lines.joined(separator: ", ")), PRIMARY KEY (\(keys)))"
    }

    func removeAll(_ connection: PostgresConnection) throws {
        try connection.patiently { try connection.run("DELETE FROM \(name)") }
    }

    /// Inserts rows, or changes those with the same keys.
    ///
    /// - Parameter value: Reads a large value of the log by its hash.
    func write(
        _ rows: some Sequence<[LogRows.Value]>, _ connection: PostgresConnection, value: (String) throws -> Data
    ) throws {
        var writer = Writer(self, connection)
        for row in rows { try writer.add(row, value: value) }
        try writer.finish()
    }

    /// Deletes the rows of keys.
    func delete(_ keys: [[Int64]], _ connection: PostgresConnection) throws {
        if keys.isEmpty { return }
        let arrays = (0..<table.keyCount).map { position in PostgresValue.integers(keys.map { $0[position] }) }
        let places = arrays.indices.map { "$\($0 + 1)::bigint[]" }.joined(separator: ", ")
        try connection.run(
            "DELETE FROM \(name) WHERE (\(self.keys)) IN (SELECT * FROM unnest(\(places)))", arrays, isKept: false)
    }

    /// Writes rows with as few statements as their size permits.
    struct Writer {
        private let table: PostgresTable
        private let connection: PostgresConnection
        private var values: [PostgresValue] = []
        private var rowCount = 0
        private var size = 0

        init(_ table: PostgresTable, _ connection: PostgresConnection) {
            self.table = table
            self.connection = connection
        }

        mutating func add(_ row: [LogRows.Value], value: (String) throws -> Data) throws {
            for (column, stored) in zip(table.table.columns, row) {
                let converted = try column.type.value(stored, largeValue: value)
                if case .bytes(let bytes) = converted { size += bytes.count }
                if case .text(let text) = converted { size += text.utf8.count }
                values.append(converted)
            }
            rowCount += 1
            if values.count >= PostgresTable.greatestValueCount || size >= PostgresTable.greatestSize { try finish() }
        }

        mutating func finish() throws {
            if rowCount == 0 { return }
            let width = table.table.columns.count
            let rows = (0..<rowCount).map { row in
                let places = table.table.columns.enumerated().map { $1.type.place(row * width + $0 + 1) }
                return "(\(places.joined(separator: ", ")))"
            }
            let settling = table.assignments.isEmpty ? "NOTHING" : "UPDATE SET \(table.assignments)"
            try connection.run(
                "INSERT INTO \(table.name) (\(table.columns)) VALUES \(rows.joined(separator: ", ")) "
                    + "ON CONFLICT (\(table.keys)) DO \(settling)", values, isKept: false)
            (values, rowCount, size) = ([], 0, 0)
        }
    }
}

extension LogTable.ColumnType {
    /// The type in PostgreSQL. It has every value that a store may have: stores keep numbers of any attribute in 64
    /// bits.
    fileprivate var name: String {
        switch self {
        case .boolean: "boolean"
        case .integer, .reference: "bigint"
        case .real: "double precision"
        case .decimal: "numeric"
        case .text, .json, .entity: "text"
        case .date: "timestamp with time zone"
        case .uuid: "uuid"
        case .bytes: "bytea"
        }
    }

    /// The place of a value in a statement.
    fileprivate func place(_ number: Int) -> String {
        if case .date = self { return "to_timestamp($\(number)::double precision)" }
        return "$\(number)::\(name)"
    }

    /// The value for a statement. A value that PostgreSQL's type lacks becomes the nearest one, or NULL.
    fileprivate func value(_ value: LogRows.Value, largeValue: (String) throws -> Data) throws -> PostgresValue {
        if case .largeValue(let hash) = value {
            return try self.value(.bytes(largeValue(hash)), largeValue: largeValue)
        }
        switch (self, value) {
        case (.entity(let root), .null): return .text(root)
        case (_, .null), (_, .largeValue): return .null
        case (.boolean, .integer(let number)): return .text(number == 0 ? "f" : "t")
        case (.date, .real(let seconds)): return .text(Self.unixTime(seconds))
        case (.real, .real(let number)): return .text("\(number)")
        case (.integer, .integer(let number)), (.reference, .integer(let number)): return .integer(number)
        case (.decimal, .text(let text)): return Self.decimal(text)
        case (.text, .text(let text)), (.json, .text(let text)), (.entity, .text(let text)):
            return .text(Self.withoutNUL(text))
        case (.json, .bytes(let bytes)): return .text(Self.withoutNUL(String(decoding: bytes, as: UTF8.self)))
        case (.uuid, .bytes(let bytes)) where bytes.count == 16:
            return .text(bytes.map { String(format: "%02x", $0) }.joined())
        case (.bytes, .bytes(let bytes)): return .bytes(bytes)
        // A program's own type may write other values than the attribute has.
        default: return .null
        }
    }

    /// PostgreSQL's texts have no U+0000.
    private static func withoutNUL(_ text: String) -> String {
        text.utf8.contains(0) ? text.replacingOccurrences(of: "\0", with: "\u{FFFD}") : text
    }

    /// Seconds since 1970, within the years that PostgreSQL has; infinity beyond.
    private static func unixTime(_ seconds: Double) -> String {
        let time = seconds + Date.timeIntervalBetween1970AndReferenceDate
        if time < -210_866_000_000 { return "-Infinity" }
        return time > 9_224_000_000_000 ? "Infinity" : "\(time)"
    }

    private static func decimal(_ text: String) -> PostgresValue {
        let isPlain = text.count < 200 && text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?/) != nil
        if isPlain { return .text(text) }
        return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { .text("\($0)") } ?? .null
    }
}
