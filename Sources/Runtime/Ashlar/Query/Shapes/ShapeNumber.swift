import AshlarSQLite

/// Computes a hash of a query's shape, to look up the statement of a shape that was used before.
///
/// It omits parts that cost more to read than they distinguish, in particular names. Different shapes may have the same
/// hash.
struct ShapeNumber: SQLWriter {
    private(set) var bits: UInt64 = 0xCBF2_9CE4_8422_2325
    let time: FetchTime
    var collationCount = 0

    /// Returns the hash of a query's shape.
    static func bits(of shape: QueryShape, _ time: FetchTime) -> UInt64 {
        var number = ShapeNumber(time: time)
        shape.write(to: &number)
        return number.bits
    }

    private init(time: FetchTime) { self.time = time }

    private mutating func combine(_ part: Int) {
        bits = (bits ^ UInt64(truncatingIfNeeded: part)) &* 0x100_0000_01B3
    }

    private mutating func combine(_ path: ColumnPath) {
        combine(path.level + path.steps.count << 8)
        for step in path.steps { combine(step.column) }
    }
}

extension ShapeNumber {
    var isFinished: Bool { false }
    var keepsValues: Bool { false }
    var position: SQLPosition { SQLPosition() }

    mutating func write(_ text: String) {
        let count = text.utf8.count
        combine(count)
        // Operators have only a few characters.
        if count <= 4 { for byte in text.utf8 { combine(Int(byte)) } }
    }

    mutating func write(name: String) { combine(name.utf8.count) }

    mutating func write(_ column: ColumnReference) {
        combine(column.column)
        combine(column.path)
    }

    mutating func write(row path: ColumnPath) { combine(path) }

    @discardableResult mutating func bind(_ value: SQLiteValue) -> Int {
        combine(-2)
        return 0
    }

    mutating func bind(list values: [SQLiteValue]) { combine(values.count << 8) }
    mutating func write(parameter number: Int) { combine(-3) }
    mutating func writeAgain(from start: SQLPosition, to end: SQLPosition) { combine(-4) }
    mutating func writeJoins() {}
    mutating func beginSubquery(level: Int) { combine(level << 16) }
    mutating func endSubquery() {}
    mutating func fail(_ error: FetchError) {}
}
