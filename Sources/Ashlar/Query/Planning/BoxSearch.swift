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

    /// The condition that a row of the tree is a candidate.
    func candidates(_ statement: inout SQLStatement) -> String {
        var terms: [String] = []
        for (name, bound) in zip(index.elements.compactMap(\.column), bounds) {
            if let lower = bound?.leastMaximum {
                terms.append("\(Self.maximum(name)) >= \(statement.parameter(.real(lower)))")
            }
            if let upper = bound?.greatestMinimum {
                terms.append("\(Self.minimum(name)) <= \(statement.parameter(.real(upper)))")
            }
        }
        return terms.joined(separator: " AND ")
    }

    /// Whether the tree's coordinates can say surely of a row that it is in the box.
    var isCertain: Bool { bounds.allSatisfy { $0?.isExact ?? true } }

    /// The condition that the coordinates of a candidate lie within the bounds whatever was rounded; nil where there is
    /// none. It is no constraint that the tree could use.
    func certainty(_ statement: inout SQLStatement) -> String? {
        guard isCertain else { return nil }
        var terms: [String] = []
        for (name, bound) in zip(index.elements.compactMap(\.column), bounds) {
            guard let bound else { continue }
            if let lower = bound.lower {
                let value = statement.parameter(.real(lower.value + ColumnBounds.rounding))
                terms.append("+\(Self.minimum(name)) \(lower.isIncluded ? ">=" : ">") \(value)")
            }
            if let upper = bound.upper {
                let value = statement.parameter(.real(upper.value - ColumnBounds.rounding))
                terms.append("+\(Self.maximum(name)) \(upper.isIncluded ? "<=" : "<") \(value)")
            }
        }
        return terms.joined(separator: " AND ")
    }

    private static func minimum(_ column: String) -> String {
        "\(alias.quotedIdentifier).\((column + "$min").quotedIdentifier)"
    }

    private static func maximum(_ column: String) -> String {
        "\(alias.quotedIdentifier).\((column + "$max").quotedIdentifier)"
    }
}

/// What the rounding to 32-bit numbers asks for.
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
