import SQLQuoting

/// A statement that was executed, as a ``StatementObserver`` receives it.
///
///     context.statementObserver = StatementObserver { event in print(event.duration, event.sql) }
public struct StatementEvent: Sendable, Hashable {
    /// The statement's text, with `?1`, `?2` and so on for the values.
    public var sql: String
    /// The text with its values, for the `sqlite3` shell; nil below ``StatementObserver/Level/values``.
    public var expandedSQL: String?
    /// The duration from the start of the statement to its end, including the processing of its rows.
    public var duration: Duration
    /// The number of returned rows.
    public var rowCount: Int
    /// The first returned rows, at most ``maximumRows``; empty below ``StatementObserver/Level/rows``.
    public var rows: [[SQLiteValue]] = []
    /// The steps of the query plan in SQLite's words; empty below ``StatementObserver/Level/plan`` and for statements
    /// without a plan.
    public var plan: [String] = []
    /// The name of the context that executed the statement.
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

    /// The maximum number of rows of a statement in an event.
    public static let maximumRows = 1000
}

extension StatementEvent: CustomStringConvertible {
    /// All known values, one per line.
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
    /// The value as a literal of SQL; for a blob only its length.
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
