/// A search in an R-tree for the rows whose coordinates are within bounds.
///
/// The tree's coordinates are 32-bit numbers, so it finds candidates that include all matching rows. The condition
/// itself is checked on the columns.
struct BoxSearch: Hashable {
    let index: IndexDescription
    /// The bounds of each dimension; nil for a dimension without bounds.
    let bounds: [ColumnBounds?]
    /// Whether the condition consists only of the bounds.
    let isWholeCondition: Bool

    /// The name of the tree in a statement.
    static let alias = "box$"

    /// Creates a search; nil if the tree cannot find all matching rows, because no dimension is bounded, or because an
    /// unbounded one may be NULL.
    init?(_ rtree: RTreeDescription, _ columns: BoundedColumns, isWholeTable: Bool = false) {
        index = rtree.index
        let names = index.elements.compactMap(\.column)
        bounds = names.map { columns.bounds(of: $0) }
        if names.isEmpty || bounds.allSatisfy({ $0 == nil }) { return nil }
        for (name, bound) in zip(names, bounds) where bound == nil {
            // A row with a NULL coordinate is not in the tree.
            if !rtree.isNeverNull(name) { return nil }
        }
        isWholeCondition = isWholeTable && !columns.says(moreThanOf: names)
    }

    /// Returns the search that bounds the most dimensions.
    static func best(
        _ rtrees: [RTreeDescription], _ columns: BoundedColumns, isWholeTable: Bool = false
    ) -> BoxSearch? {
        rtrees.compactMap { BoxSearch($0, columns, isWholeTable: isWholeTable) }
            .max { $0.boundedCount < $1.boundedCount }
    }

    /// The number of bounded dimensions.
    var boundedCount: Int { bounds.count { $0 != nil } }

    /// Writes the condition that a row of the tree is a candidate.
    func writeCandidates(to writer: inout some SQLWriter) {
        var separator = ""
        for (column, bound) in zip(index.elements.lazy.compactMap(\.column), bounds) {
            if let lower = bound?.leastMaximum {
                Self.write(separator, column, "$max", " >= ", lower, to: &writer)
                separator = " AND "
            }
            if let upper = bound?.greatestMinimum {
                Self.write(separator, column, "$min", " <= ", upper, to: &writer)
                separator = " AND "
            }
        }
    }

    /// Whether the tree's coordinates can prove that a row is in the box.
    var isCertain: Bool { bounds.allSatisfy { $0?.isExact ?? true } }

    /// Writes the condition that the coordinates of a candidate are within the bounds in spite of rounding, as far as
    /// they can prove it. The tree cannot use it as a constraint.
    func writeCertainty(to writer: inout some SQLWriter) {
        var separator = "+"
        for (column, bound) in zip(index.elements.lazy.compactMap(\.column), bounds) {
            if let lower = bound?.lower {
                let comparison = lower.isIncluded ? " >= " : " > "
                Self.write(separator, column, "$min", comparison, lower.value + ColumnBounds.rounding, to: &writer)
                separator = " AND +"
            }
            if let upper = bound?.upper {
                let comparison = upper.isIncluded ? " <= " : " < "
                Self.write(separator, column, "$max", comparison, upper.value - ColumnBounds.rounding, to: &writer)
                separator = " AND +"
            }
        }
    }

    /// Writes the comparison of one of the tree's coordinates with a number.
    private static func write(
        _ separator: String, _ column: String, _ suffix: String, _ comparison: String, _ number: Double,
        to writer: inout some SQLWriter
    ) {
        writer.write(separator)
        writer.write(name: alias)
        writer.write(".")
        writer.write(name: column + suffix)
        writer.write(comparison)
        writer.bind(.real(number))
    }

    /// Writes the condition that a row is a candidate.
    func writeMembership(of row: ColumnPath, to writer: inout some SQLWriter) {
        writer.write(row: row)
        writer.write(".\"id$\" IN (SELECT ")
        writeIdentifier(to: &writer)
        writer.write(" FROM ")
        writeSource(to: &writer)
        writer.write(" WHERE ")
        writeCandidates(to: &writer)
        writer.write(")")
    }

    /// Writes the tree with its name in the statement.
    func writeSource(to writer: inout some SQLWriter) {
        writer.write(name: index.storeName)
        writer.write(" AS ")
        writer.write(name: Self.alias)
    }

    /// Writes the identifier of a candidate.
    func writeIdentifier(to writer: inout some SQLWriter) {
        writer.write(name: Self.alias)
        writer.write(".\"id$\"")
    }
}

/// The treatment of rounding to 32-bit numbers.
extension ColumnBounds {
    /// The rounding error of the least normal 32-bit numbers, which are not rounded outward.
    static let rounding = Double(Float.leastNonzeroMagnitude)
    private static let farthest = Double(Float.greatestFiniteMagnitude)

    /// The least possible maximum in the tree for a matching row.
    var leastMaximum: Double? {
        guard let lower else { return nil }
        // Values beyond the range of 32 bits are infinite in the tree.
        return lower.value < -Self.farthest ? -.infinity : lower.value - Self.rounding
    }

    /// The greatest possible minimum in the tree for a matching row.
    var greatestMinimum: Double? {
        guard let upper else { return nil }
        return upper.value > Self.farthest ? .infinity : upper.value + Self.rounding
    }

    /// Whether the tree's coordinates can prove that a row within the bounds is.
    fileprivate var isExact: Bool {
        // Larger integers are rounded before they are stored in the tree, and possibly upward.
        let limit = Double(1 << 53)
        return [lower, upper].allSatisfy { $0.map { abs($0.value) < limit } ?? true }
    }
}
