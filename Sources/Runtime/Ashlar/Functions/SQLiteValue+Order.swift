import AshlarSQLite

extension SQLiteValue {
    /// Less than zero where the first value comes first, greater where it comes last; decimal numbers, which are kept as
    /// text, by what they say.
    static func order(_ left: SQLiteValue, _ right: SQLiteValue, _ isDecimal: Bool) -> Int {
        if isDecimal, case .text(let first) = left, case .text(let second) = right {
            return DecimalCollation.compare(first, second)
        }
        return compare(left, right)
    }
}
