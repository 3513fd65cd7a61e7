/// A search in an R-tree for the rows whose coordinates lie within bounds.
///
/// The tree's coordinates are 32-bit numbers, so that it gives candidates, among them all rows that match; the condition
/// itself is checked on the columns.
struct BoxSearch: Hashable {
    let index: IndexDescription
    /// The bounds of each dimension; nil where a dimension has none.
    let bounds: [ColumnBounds?]
    /// Whether the bounds are all that a condition says.
    let isWholeCondition: Bool

    /// The name by which a statement calls the tree.
    static let alias = "box$"

    /// Nil where the tree cannot find all rows that match: no dimension is bounded, or one that is not may be NULL.
    init?(_ rtree: RTreeDescription, _ columns: BoundedColumns, isWholeTable: Bool = false) {
        index = rtree.index
        let names = index.elements.compactMap(\.column)
        bounds = names.map { columns.bounds(of: $0) }
        if names.isEmpty || bounds.allSatisfy({ $0 == nil }) { return nil }
        for (name, bound) in zip(names, bounds) where bound == nil {
            // A row with a coordinate that is NULL is not in the tree.
            if !rtree.isNeverNull(name) { return nil }
        }
        isWholeCondition = isWholeTable && !columns.says(moreThanOf: names)
    }

    /// The search that bounds the most dimensions.
    static func best(
        _ rtrees: [RTreeDescription], _ columns: BoundedColumns, isWholeTable: Bool = false
    ) -> BoxSearch? {
        rtrees.compactMap { BoxSearch($0, columns, isWholeTable: isWholeTable) }
            .max { $0.boundedCount < $1.boundedCount }
    }

    /// How many dimensions are bounded.
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

    /// Whether the tree's coordinates can say surely of a row that it is in the box.
    var isCertain: Bool { bounds.allSatisfy { $0?.isExact ?? true } }

    /// Writes the condition that the coordinates of a candidate lie within the bounds whatever was rounded, where they can
    /// say so. It is no constraint that the tree could use.
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

    /// Writes the tree, with the name by which a statement calls it.
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
    /// The least normal numbers of 32 bits are rounded by as much as this, and not outward.
    static let rounding = Double(Float.leastNonzeroMagnitude)
    private static let farthest = Double(Float.greatestFiniteMagnitude)

    /// The least that the tree's maximum of a matching row can be.
    var leastMaximum: Double? {
        guard let lower else { return nil }
        // What is beyond the range of 32 bits is infinite in the tree.
        return lower.value < -Self.farthest ? -.infinity : lower.value - Self.rounding
    }

    /// The greatest that the tree's minimum of a matching row can be.
    var greatestMinimum: Double? {
        guard let upper else { return nil }
        return upper.value > Self.farthest ? .infinity : upper.value + Self.rounding
    }

    /// Whether the tree's coordinates say surely of a row within the bounds that it is.
    fileprivate var isExact: Bool {
        // Integers beyond this are rounded before they get into the tree, and upward too.
        let limit = Double(1 << 53)
        return [lower, upper].allSatisfy { $0.map { abs($0.value) < limit } ?? true }
    }
}
