import AshlarSQLite

/// Compares the printed form of a query with the parts of a known statement, and collects the values for it.
///
/// The printer itself traverses the query, so that the result always agrees with the printer. The comparison ends at
/// the first part that differs.
struct StatementComparison: SQLWriter {
    let time: FetchTime
    var collationCount = 0
    private(set) var isFinished = false
    private let known: [SQLPart]
    /// The position of the next known part.
    private var next = 0
    private var values: [SQLiteValue] = []

    init(_ known: [SQLPart], _ time: FetchTime) {
        self.known = known
        self.time = time
    }

    /// Returns the values of a query whose statement has these parts; nil if it has others.
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
            // Reserved only now, because most comparisons with statements of other shapes end earlier.
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
