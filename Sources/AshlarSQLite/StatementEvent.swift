import SQLQuoting

/// A statement that ran, as a ``StatementObserver`` is told of it.
public struct StatementEvent: Sendable, Hashable {
    /// The statement's text, with `?1`, `?2` and so on for the values.
    public var sql: String
    /// The text with the values in it, to be tried in the `sqlite3` shell; nil below level 2.
    public var expandedSQL: String?
    /// The time from the start of the statement until its end, what was done with each of its rows included.
    public var duration: Duration
    /// The number of rows that it returned.
    public var rowCount: Int
    /// The first of these rows, at most ``maximumRows``; empty below level 3.
    public var rows: [[SQLiteValue]] = []
    /// The steps of the query plan in SQLite's words; empty below level 4, and for a statement that has none.
    public var plan: [String] = []
    /// The name of the context that ran it.
    public var contextName: String?

    package init(
        sql: String, expandedSQL: String? = nil, duration: Duration, rowCount: Int, rows: [[SQLiteValue]] = [],
        plan: [String] = [], contextName: String? = nil
    ) {
        self.sql = sql
        self.expandedSQL = expandedSQL
        self.duration = duration
        self.rowCount = rowCount
        self.rows = rows
        self.plan = plan
        self.contextName = contextName
    }

    /// How many rows of one statement are kept for an event.
    public static let maximumRows = 1000
}

extension StatementEvent: CustomStringConvertible {
    /// All that is known, a line each.
    public var description: String {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let context = contextName.map { " [\($0)]" } ?? ""
        var lines = ["\(expandedSQL ?? sql) -- \(microseconds) µs, \(rowCount) rows\(context)"]
        lines += rows.map { "  row: " + $0.map(\.description).joined(separator: " | ") }
        lines += plan.map { "  plan: \($0)" }
        return lines.joined(separator: "\n")
    }
}

extension SQLiteValue: CustomStringConvertible {
    /// The value as a literal of SQL; of a blob only its length.
    public var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): SQLQuotation.literal(value)
        case .blob(let value): "(\(value.count) bytes)"
        }
    }
}
