import AshlarSQLite

extension SQLiteValue {
    /// Returns a number after two concurrent changes, with both differences from its base added.
    ///
    /// An integer sum beyond the range is the least or the greatest integer. If a sum of floating-point numbers is not
    /// finite, the result is `mine`.
    package static func sum(base: SQLiteValue, mine: SQLiteValue, theirs: SQLiteValue) -> SQLiteValue {
        switch (base, mine, theirs) {
        case (_, .null, _): return theirs
        case (_, _, .null): return mine
        case (.null, _, _): return sum(base: .integer(0), mine: mine, theirs: theirs)
        case (.integer(let base), .integer(let mine), .integer(let theirs)):
            let (gain, overflowed) = mine.subtractingReportingOverflow(base)
            if overflowed { return .integer(mine < base ? .min : .max) }
            let (total, isTooMuch) = theirs.addingReportingOverflow(gain)
            return .integer(isTooMuch ? (gain < 0 ? .min : .max) : total)
        default:
            guard let base = base.number, let mine = mine.number, let theirs = theirs.number else { return mine }
            let total = theirs + (mine - base)
            return .real(total.isFinite ? total : mine)
        }
    }
}
