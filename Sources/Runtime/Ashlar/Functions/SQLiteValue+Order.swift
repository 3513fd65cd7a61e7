import AshlarSQLite

extension SQLiteValue {
    /// Compares two values: negative if the first precedes the second, positive if it follows. Decimal numbers, which
    /// are stored as text, are compared by their values.
    static func order(_ left: SQLiteValue, _ right: SQLiteValue, _ isDecimal: Bool) -> Int {
        if isDecimal, case .text(let first) = left, case .text(let second) = right {
            return DecimalCollation.compare(first, second)
        }
        return compare(left, right)
    }
}
