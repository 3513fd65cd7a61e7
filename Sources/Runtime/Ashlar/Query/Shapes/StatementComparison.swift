import AshlarSQLite

/// Compares what a query is printed as with the parts of a statement that is known, and gathers the values for it.
///
/// It is the printer's own walk through the query, so that it cannot disagree with the printer; the first part that differs
/// ends it.
struct StatementComparison: SQLWriter {
    let time: FetchTime
    var collationCount = 0
    private(set) var isFinished = false
    private let known: [SQLPart]
    /// The known part that comes next.
    private var next = 0
    private var values: [SQLiteValue] = []

    init(_ known: [SQLPart], _ time: FetchTime) {
        self.known = known
        self.time = time
    }

    /// The values of a query whose statement has these parts; nil where it has others.
    static func values(of shape: QueryShape, printedAs known: [SQLPart], _ time: FetchTime) -> [SQLiteValue]? {
        var comparison = StatementComparison(known, time)
        shape.write(to: &comparison)
        return comparison.isFinished || comparison.next != known.count ? nil : comparison.values
    }

    private mutating func proceed(_ isSame: Bool) {
        if isSame { next &+= 1 } else { isFinished = true }
    }
}

extension StatementComparison {
    var position: SQLPosition { SQLPosition(part: next) }

    mutating func write(_ text: String) {
        guard next < known.count, case .text(let other) = known[next] else { return proceed(false) }
        proceed(text == other)
    }

    mutating func write(name: String) {
        guard next < known.count, case .name(let other) = known[next] else { return proceed(false) }
        proceed(name == other)
    }

    mutating func write(_ column: ColumnReference) {
        guard next < known.count, case .column(let other) = known[next] else { return proceed(false) }
        proceed(column == other)
    }

    mutating func write(row path: ColumnPath) {
        guard next < known.count, case .row(let other) = known[next] else { return proceed(false) }
        proceed(path == other)
    }

    @discardableResult mutating func bind(_ value: SQLiteValue) -> Int {
        if next < known.count, case .value = known[next] {
            // Not before, as most comparisons with statements of other shapes end earlier.
            if values.isEmpty { values.reserveCapacity(8) }
            values.append(value)
            next &+= 1
        } else {
            isFinished = true
        }
        return values.count
    }

    mutating func bind(list: [SQLiteValue]) {
        guard next < known.count, case .values(let count) = known[next] else { return proceed(false) }
        values += list
        proceed(list.count == count)
    }

    mutating func write(parameter number: Int) {
        guard next < known.count, case .parameter(let other) = known[next] else { return proceed(false) }
        proceed(number == other)
    }

    mutating func writeAgain(from start: SQLPosition, to end: SQLPosition) {
        guard next < known.count, case .again(let first, let last) = known[next] else { return proceed(false) }
        proceed(start.part == first && end.part == last)
    }

    mutating func writeJoins() {
        if next < known.count, case .joins = known[next] { next &+= 1 } else { isFinished = true }
    }

    mutating func beginSubquery(level: Int) {
        guard next < known.count, case .subquery(let other) = known[next] else { return proceed(false) }
        proceed(level == other)
    }

    mutating func endSubquery() {
        if next < known.count, case .subqueryEnd = known[next] { next &+= 1 } else { isFinished = true }
    }

    mutating func fail(_ error: FetchError) { isFinished = true }
}
