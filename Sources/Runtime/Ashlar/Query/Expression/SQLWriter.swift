import AshlarSQLite

/// The output to which a query is printed: a statement's text, its parts, a comparison with the parts of another, or a
/// number of them.
///
/// `title = "a"` comes as a column, the text ` = ` and a value. The text of a statement is made of what is passed to these
/// methods, in their order, and of nothing else, and a value that is bound is no part of it. So whoever compares what
/// comes with what came before knows whether the text is the same, and where the values go, without knowing what a query
/// is; nothing must agree with the printer but the printer.
protocol SQLWriter {
    /// The time that the statement is run at.
    var time: FetchTime { get }
    /// Whether nothing that may follow counts any more, so that the printer can leave it out.
    var isFinished: Bool { get }
    /// Whether it matters which values are bound. What is costly to make need not be made otherwise.
    var keepsValues: Bool { get }
    /// How many collations were written that SQLite would take for those of an expression around them, too. A subquery
    /// keeps its own to itself.
    var collationCount: Int { get set }
    /// The place after what was written last.
    var position: SQLPosition { get }

    /// Writes text as it is.
    mutating func write(_ text: String)
    /// Writes a name in double quotes.
    mutating func write(name: String)
    /// Writes a column with the name of its row, and joins the rows that lead to it.
    mutating func write(_ column: ColumnReference)
    /// Writes the name of the row at the end of a path, and joins the rows that lead to it.
    mutating func write(row path: ColumnPath)
    /// Writes a parameter for a value, and returns its number.
    @discardableResult mutating func bind(_ value: SQLiteValue) -> Int
    /// Writes parameters for values, with commas between them.
    mutating func bind(list values: [SQLiteValue])
    /// Writes a parameter that was bound before.
    mutating func write(parameter number: Int)
    /// Writes once more what was written between two places, with the same parameters.
    mutating func writeAgain(from start: SQLPosition, to end: SQLPosition)
    /// Leaves a place for the joins of the innermost `FROM` clause.
    mutating func writeJoins()
    /// Begins a subquery about rows of a level. Paths from rows outside are joined outside.
    mutating func beginSubquery(level: Int)
    mutating func endSubquery()
    /// Says that the statement cannot be run, and why.
    mutating func fail(_ error: FetchError)
}

/// A place in what was written.
struct SQLPosition {
    /// The number of bytes before it, for who writes text.
    var byte = 0
    /// The number of parts before it, for who keeps or compares those.
    var part = 0
}

extension SQLWriter {
    var keepsValues: Bool { true }

    /// Says by what collation the expression before is compared.
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

    /// Writes the clause that gives a part of the result; nothing for all of it.
    mutating func window(limit: Int?, offset: Int?) {
        if limit == nil, offset == nil { return }
        write(" LIMIT ")
        bind(.integer(limit.map(Int64.init) ?? -1))
        guard let offset else { return }
        write(" OFFSET ")
        bind(.integer(Int64(offset)))
    }
}
