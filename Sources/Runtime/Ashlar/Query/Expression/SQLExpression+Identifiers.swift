/// Comparisons with identifiers from the program, which may belong to any entity and store.
extension SQLExpression {
    /// Returns the row of an object; NULL for nil.
    package static func identifier(of object: ManagedObject?) -> SQLExpression {
        object.map { .identifier($0.identifier, root: $0.rootNumber) } ?? .value(.null)
    }

    /// Returns the row of an identifier in the table of a root entity; NULL for nil.
    static func identifier(_ identifier: PersistentIdentifier?, in root: UInt16) -> SQLExpression {
        identifier.map { .identifier($0, root: root) } ?? .value(.null)
    }

    /// Returns a comparison in which identifiers refer to rows of the other side's table.
    package static func comparing(
        _ left: SQLExpression, _ comparison: Comparison, _ right: SQLExpression
    ) -> SQLExpression {
        if case .identifier(let first, _) = left, case .identifier(let second, _) = right,
            comparison == .equal || comparison == .notEqual
        {
            return (first == second) == (comparison == .equal) ? .alwaysTrue : .alwaysFalse
        }
        guard let root = left.rowRoot ?? right.rowRoot else { return .comparison(left, comparison, right) }
        return .comparison(left.naming(rowsOf: root), comparison, right.naming(rowsOf: root))
    }

    /// Returns the condition that a value is one of several identifiers, where nil matches an empty reference.
    package static func contains(_ identifiers: [PersistentIdentifier?], _ value: SQLExpression) -> SQLExpression {
        if case .identifier(let identifier, _) = value {
            return identifiers.contains(identifier) ? .alwaysTrue : .alwaysFalse
        }
        let roots: Set<UInt16> = value.rowRoot.map { [$0] } ?? Set(identifiers.compactMap { $0?.number.root })
        if roots.count == 1, let root = roots.first {
            return .isOneOf(value.naming(rowsOf: root), identifiers, root: root)
        }
        return .or(identifiers.map { .comparison(value, .equal, $0.row) })
    }

    /// Returns the identifiers among values; nil if some values are not identifiers, or if all are NULL.
    package static func identifiers(_ values: [SQLExpression]) -> [PersistentIdentifier?]? {
        var identifiers: [PersistentIdentifier?] = []
        for value in values {
            switch value {
            case .identifier(let identifier, _): identifiers.append(identifier)
            case .value(.null): identifiers.append(nil)
            default: return nil
            }
        }
        return identifiers.contains { $0 != nil } ? identifiers : nil
    }

    /// Returns the value with identifiers as rows of a table.
    private func naming(rowsOf root: UInt16) -> SQLExpression {
        switch self {
        case .identifier(let identifier, _): .identifier(identifier, root: root)
        case .conditional(let test, let first, let second):
            .conditional(test, first.naming(rowsOf: root), second.naming(rowsOf: root))
        case .coalesce(let first, let second): .coalesce(first.naming(rowsOf: root), second.naming(rowsOf: root))
        default: self
        }
    }

    /// The number of the root entity whose rows the value refers to; nil for other values.
    private var rowRoot: UInt16? {
        switch self {
        case .column(let reference): reference.root
        case .conditional(_, let first, let second), .coalesce(let first, let second): first.rowRoot ?? second.rowRoot
        case .element(_, _, let value), .aggregate(_, _, let value): value.rowRoot
        default: nil
        }
    }
}

extension PersistentIdentifier? {
    /// The row of the identifier in its own table; NULL for nil.
    var row: SQLExpression { map { .identifier($0, root: $0.number.root) } ?? .value(.null) }
}
