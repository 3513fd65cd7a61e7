import AshlarSQLite

/// The numbers that a store gives to inserted objects. Each is given once.
///
/// SQLite keeps the greatest number of each table in `sqlite_sequence`, and the next object gets the one after it. Rows
/// that came from elsewhere with numbers of their own raise it, and it is then set back to the greatest number of the
/// range that was given.
struct IdentifierRange: Sendable, Hashable {
    /// The greatest number that a row may bring with it, so that numbers are left above it.
    static let limit: Int64 = 1 << 62

    var numbers: ClosedRange<Int64>
    /// The numbers that may have been given before, in some table: from the start of a range that the store had, to the
    /// greatest that it gave.
    var used: [ClosedRange<Int64>] = []

    /// Returns whether a mark in `sqlite_sequence` is one of this range: the greatest number that was given, or the one
    /// before the first.
    func hasMark(_ mark: Int64) -> Bool { mark >= numbers.lowerBound - 1 && mark <= numbers.upperBound }

    /// The greatest number that may have been given in any table; one less than the first number if none was.
    var greatestUsed: Int64 {
        var mark = numbers.lowerBound - 1
        for run in used where run.overlaps(numbers) { mark = max(mark, min(run.upperBound, numbers.upperBound)) }
        return mark
    }

    mutating func noteUse(from first: Int64, through last: Int64) {
        if last < first { return }
        used.removeAll { $0.lowerBound == first && $0.upperBound <= last }
        if !used.contains(where: { $0.lowerBound <= first && $0.upperBound >= last }) { used.append(first...last) }
    }
}

/// The range as the metadata of a store have it: a line for its two ends, and one for each range that was used.
extension IdentifierRange {
    init?(text: String) {
        var ranges: [ClosedRange<Int64>] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let ends = line.split(separator: " ", omittingEmptySubsequences: false)
            guard ends.count == 2, let first = Int64(ends[0]), let last = Int64(ends[1]), first >= 1, first <= last,
                last <= Self.limit
            else { return nil }
            ranges.append(first...last)
        }
        guard let numbers = ranges.first else { return nil }
        self.init(numbers: numbers, used: Array(ranges.dropFirst()))
    }

    var text: String {
        ([numbers] + used).map { "\($0.lowerBound) \($0.upperBound)" }.joined(separator: "\n")
    }
}

extension Connection {
    /// Returns the greatest number of a range that rows of a table have, or may have had.
    func greatestNumber(in range: IdentifierRange, of table: String) throws(SQLiteError) -> Int64 {
        let present = try integer(
            "SELECT max(\"id$\") FROM \(table.quotedIdentifier) WHERE \"id$\" BETWEEN ?1 AND ?2",
            [.integer(range.numbers.lowerBound), .integer(range.numbers.upperBound)])
        return max(range.greatestUsed, present ?? 0)
    }

    /// Sets the greatest number of a table that SQLite has recorded.
    func setLastRowID(_ mark: Int64, of table: String, in schema: String) throws(SQLiteError) {
        let update = try statement("UPDATE \(schema).\"sqlite_sequence\" SET \"seq\" = ?1 WHERE \"name\" = ?2")
        update.bind(mark, 1)
        update.bind(table, 2)
        try update.run()
        if changes > 0 { return }
        let insertion = try statement("INSERT INTO \(schema).\"sqlite_sequence\" (\"seq\", \"name\") VALUES (?1, ?2)")
        insertion.bind(mark, 1)
        insertion.bind(table, 2)
        try insertion.run()
    }
}

/// The marks of a store's tables while rows are written that have numbers from another store.
package struct KeptIdentifierMarks {
    private let range: IdentifierRange
    private let schema: String
    private var marks: [String: Int64] = [:]

    /// Creates the marks; nil for a store without a range of its own.
    package init?(_ tables: [String], _ connection: Connection, in schema: String) throws {
        guard let range = try StoreMetadata.identifierRange(connection, in: schema) else { return nil }
        connection.state.identifierRanges[schema] = range
        self.range = range
        self.schema = schema
        for table in tables {
            let mark =
                try connection.integer(
                    "SELECT \"seq\" FROM \(schema).\"sqlite_sequence\" WHERE \"name\" = ?1", [.text(table)]) ?? 0
            marks[table] = range.hasMark(mark) ? mark : try connection.greatestNumber(in: range, of: table)
        }
    }

    /// Restores the marks, except for rows with numbers of the range: an older copy of the store gets back the numbers
    /// that it once gave.
    package func restore(_ connection: Connection) throws(SQLiteError) {
        for (table, mark) in marks.sorted(by: { $0.key < $1.key }) {
            let present = try connection.integer(
                "SELECT max(\"id$\") FROM \(table.quotedIdentifier) WHERE \"id$\" BETWEEN ?1 AND ?2",
                [.integer(range.numbers.lowerBound), .integer(range.numbers.upperBound)])
            try connection.setLastRowID(max(mark, present ?? 0), of: table, in: schema)
        }
    }
}
