import AshlarSQLite

/// The parts that determine the text of a statement, and its values separately.
struct StatementParts: SQLWriter {
    private(set) var parts: [SQLPart] = []
    private(set) var values: [SQLiteValue] = []
    let time: FetchTime
    var collationCount = 0

    init(of shape: QueryShape, _ time: FetchTime) {
        self.time = time
        shape.write(to: &self)
    }
}

/// A part that was passed to a writer, without values.
enum SQLPart: Sendable {
    case text(String)
    case name(String)
    indirect case column(ColumnReference)
    indirect case row(ColumnPath)
    case value
    case values(count: Int)
    case parameter(Int)
    case again(from: Int, to: Int)
    case joins
    case subquery(level: Int)
    case subqueryEnd
}

extension StatementParts {
    var isFinished: Bool { false }
    var position: SQLPosition { SQLPosition(part: parts.count) }

    mutating func write(_ text: String) { parts.append(.text(text)) }
    mutating func write(name: String) { parts.append(.name(name)) }
    mutating func write(_ column: ColumnReference) { parts.append(.column(column)) }
    mutating func write(row path: ColumnPath) { parts.append(.row(path)) }

    @discardableResult mutating func bind(_ value: SQLiteValue) -> Int {
        parts.append(.value)
        values.append(value)
        return values.count
    }

    mutating func bind(list: [SQLiteValue]) {
        parts.append(.values(count: list.count))
        values += list
    }

    mutating func write(parameter number: Int) { parts.append(.parameter(number)) }

    mutating func writeAgain(from start: SQLPosition, to end: SQLPosition) {
        parts.append(.again(from: start.part, to: end.part))
    }

    mutating func writeJoins() { parts.append(.joins) }
    mutating func beginSubquery(level: Int) { parts.append(.subquery(level: level)) }
    mutating func endSubquery() { parts.append(.subqueryEnd) }
    // The writer of the text reports the error.
    mutating func fail(_ error: FetchError) {}
}
