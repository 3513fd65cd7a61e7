import AshlarSQLite

/// The output of the printer of queries. It is the text of a statement, its parts, a comparison with the parts of
/// another, or a hash of them.
///
/// `title = "a"` is written as a column, the text ` = ` and a value. The text of a statement consists only of the
/// arguments of these methods, in their order; bound values are not part of it. So a writer can compare the calls with
/// those of an earlier query. If they are the same, the text is the same too, and the values have the same positions.
protocol SQLWriter {
    /// The time of the statement's execution.
    var time: FetchTime { get }
    /// Whether the rest of the output no longer matters, so that the printer can omit it.
    var isFinished: Bool { get }
    /// Whether the bound values matter. If not, expensive values need not be computed.
    var keepsValues: Bool { get }
    /// The number of written collations that SQLite would also apply to an enclosing expression. Those in a subquery do
    /// not count.
    var collationCount: Int { get set }
    /// The position after the last output.
    var position: SQLPosition { get }

    /// Writes text unchanged.
    mutating func write(_ text: String)
    /// Writes a name in double quotation marks.
    mutating func write(name: String)
    /// Writes a column with the name of its row, and joins the rows that lead to it.
    mutating func write(_ column: ColumnReference)
    /// Writes the name of the row at the end of a path, and joins the rows that lead to it.
    mutating func write(row path: ColumnPath)
    /// Writes a parameter for a value, and returns its number.
    @discardableResult mutating func bind(_ value: SQLiteValue) -> Int
    /// Writes parameters for values, separated by commas.
    mutating func bind(list values: [SQLiteValue])
    /// Writes a parameter that is already bound.
    mutating func write(parameter number: Int)
    /// Repeats the output between two positions, with the same parameters.
    mutating func writeAgain(from start: SQLPosition, to end: SQLPosition)
    /// Marks the position for the joins of the innermost `FROM` clause.
    mutating func writeJoins()
    /// Begins a subquery about rows of a level. Paths from outer rows are joined in the outer query.
    mutating func beginSubquery(level: Int)
    mutating func endSubquery()
    /// Records that the statement cannot be executed, with the reason.
    mutating func fail(_ error: FetchError)
}

/// A position in the output.
struct SQLPosition {
    /// The number of bytes before it, for writers of text.
    var byte = 0
    /// The number of parts before it, for writers that keep or compare parts.
    var part = 0
}

extension SQLWriter {
    var keepsValues: Bool { true }

    /// Writes the collation of the preceding expression.
    mutating func write(collation name: String) {
        collationCount += 1
        write(" COLLATE ")
        write(name: name)
    }

    /// Writes a subquery about rows of a level.
    mutating func subquery(_ level: Int, _ write: (inout Self) -> Void) {
        let outerCount = collationCount
        beginSubquery(level: level)
        write(&self)
        endSubquery()
        collationCount = outerCount
    }

    /// Writes the clauses for a part of the result; nothing for the entire result.
    mutating func window(limit: Int?, offset: Int?) {
        if limit == nil, offset == nil { return }
        write(" LIMIT ")
        bind(.integer(limit.map(Int64.init) ?? -1))
        guard let offset else { return }
        write(" OFFSET ")
        bind(.integer(Int64(offset)))
    }
}
