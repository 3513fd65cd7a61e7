/// Uses conditions that were created for an entity in a closure about related objects.
extension SQLExpression {
    /// Returns the expression about a row of a relationship instead of the fetched row. If it is about another table,
    /// returns an expression that makes the fetch throw.
    func rebased(onto element: ColumnPath) -> SQLExpression {
        if let other = table(otherThan: element.table) {
            return .unsupported(.entityMismatch(entity: element.table, other: other))
        }
        return moved(onto: element)
    }

    private func moved(onto element: ColumnPath) -> SQLExpression {
        switch mapTerms({ $0.moved(onto: element) }) {
        case .column(var reference):
            reference.path.move(onto: element)
            return .column(reference)
        case .isEntity(var path, let names):
            path.move(onto: element)
            return .isEntity(path, names)
        case .box(var index, let ranges):
            for position in index.columns.indices { index.columns[position].path.move(onto: element) }
            return .box(index, ranges)
        case .fullText(var reference):
            reference.path.move(onto: element)
            return .fullText(reference)
        case .matches(var reference, let query):
            reference.path.move(onto: element)
            return .matches(reference, query)
        case .fullTextValue(var reference, let query, let value):
            reference.path.move(onto: element)
            return .fullTextValue(reference, query, value)
        case .any(let rows, let term): return .any(rows.moved(onto: element), term)
        case .aggregate(let aggregate, let rows, let term):
            return .aggregate(aggregate, rows.moved(onto: element), term)
        case .element(let rows, let position, let term): return .element(rows.moved(onto: element), position, term)
        case let other: return other
        }
    }

    /// Returns a table other than the given one to which the expression refers as that of the fetched row.
    private func table(otherThan table: String) -> String? {
        switch self {
        case .column(let reference): return reference.path.start(otherThan: table)
        case .isEntity(let path, _): return path.start(otherThan: table)
        case .box(let index, _): return index.columns.first?.path.start(otherThan: table)
        case .fullText(let reference), .matches(let reference, _), .fullTextValue(let reference, _, _):
            return reference.path.start(otherThan: table)
        default: break
        }
        var found: String?
        if case .any(let rows, _) = self { found = rows.owner.start(otherThan: table) }
        if case .aggregate(_, let rows, _) = self { found = rows.owner.start(otherThan: table) }
        if case .element(let rows, _, _) = self { found = rows.owner.start(otherThan: table) }
        // Only traverses the terms.
        _ = mapTerms { term in
            found = found ?? term.table(otherThan: table)
            return term
        }
        return found
    }
}

extension ColumnPath {
    /// Returns the table at which the path begins, if it begins at the fetched row in a table other than the given one.
    fileprivate func start(otherThan table: String) -> String? { level == 0 && self.table != table ? self.table : nil }

    /// Makes the path begin at a row of a relationship, and raises the levels of rows accordingly.
    fileprivate mutating func move(onto element: ColumnPath) { level += element.level }
}

extension RelatedRows {
    fileprivate func moved(onto element: ColumnPath) -> RelatedRows {
        var result = self
        result.owner.move(onto: element)
        result.level += element.level
        return result
    }
}
