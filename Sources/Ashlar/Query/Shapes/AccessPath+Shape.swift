import AshlarSQLite

/// The values that the ways to find rows bind.
extension AccessPath {
    /// The part that it has in the number of a query's shape.
    var shapeNumber: Int {
        switch self {
        case .automatic: 0
        case .scan: 1
        case .index: 2
        case .identifiers: 3
        case .candidates: 4
        case .edges: 5
        case .indexAmong: 6
        case .withoutRTree: 7
        }
    }

    /// Whether SQLite's planner chooses. Comparing paths costs more.
    var isAutomatic: Bool {
        if case .automatic = self { true } else { false }
    }

    /// Appends the values before those of the condition, where a statement has the same text with another path.
    func appendLeadingValues(to values: inout [SQLiteValue], ifPrintedAs known: AccessPath) -> Bool {
        switch (self, known) {
        case (.automatic, .automatic), (.withoutRTree, .withoutRTree), (.scan, .scan): return true
        case (.index(let name), .index(let other)): return name == other
        case (.identifiers(let search), .identifiers(let other)), (.candidates(let search), .candidates(let other)):
            return search.appendCandidateValues(to: &values, ifPrintedAs: other)
        case (.indexAmong(let name, let search), .indexAmong(let other, let known)):
            return name == other && search.appendCandidateValues(to: &values, ifPrintedAs: known)
        case (.edges(let search), .edges(let other)):
            return search.isCertain && search.hasCertainty(printedAs: other)
                && search.appendCandidateValues(to: &values, ifPrintedAs: other)
        default: return false
        }
    }

    /// Appends the values after those of the condition.
    func appendTrailingValues(to values: inout [SQLiteValue]) {
        if case .edges(let search) = self { search.appendCertaintyValues(to: &values) }
    }
}

extension BoxSearch {
    func appendCandidateValues(to values: inout [SQLiteValue], ifPrintedAs known: BoxSearch) -> Bool {
        guard index.storeName == known.index.storeName else { return false }
        for (bound, other) in zip(bounds, known.bounds) {
            guard (bound?.lower == nil) == (other?.lower == nil), (bound?.upper == nil) == (other?.upper == nil) else {
                return false
            }
            if let lower = bound?.leastMaximum { values.append(.real(lower)) }
            if let upper = bound?.greatestMinimum { values.append(.real(upper)) }
        }
        return true
    }

    /// Whether the condition that a candidate is surely in the box has the same text.
    fileprivate func hasCertainty(printedAs known: BoxSearch) -> Bool {
        zip(bounds, known.bounds).allSatisfy { bound, other in
            bound?.lower?.isIncluded == other?.lower?.isIncluded && bound?.upper?.isIncluded == other?.upper?.isIncluded
        }
    }

    fileprivate func appendCertaintyValues(to values: inout [SQLiteValue]) {
        for bound in bounds {
            if let lower = bound?.lower { values.append(.real(lower.value + ColumnBounds.rounding)) }
            if let upper = bound?.upper { values.append(.real(upper.value - ColumnBounds.rounding)) }
        }
    }
}
