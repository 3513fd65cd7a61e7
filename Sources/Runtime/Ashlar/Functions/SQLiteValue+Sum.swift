import AshlarSQLite

extension SQLiteValue {
    /// The value that two changes of a number add up to.
    ///
    /// A sum that is too great for the type stays at the end of its range.
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
