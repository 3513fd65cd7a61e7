/// The rows that an expression refers to, and the searches that find them.
extension SQLExpression {
    /// Returns whether the expression refers to rows of levels below a level; see ``ColumnPath/level``.
    func speaksOfRows(below level: Int) -> Bool {
        switch self {
        case .value, .identifier, .now, .unsupported: false
        case .column(let reference): reference.path.level < level
        case .isEntity(let path, _): path.level < level
        case .isIn(let term, _), .isOneOf(let term, _, _), .not(let term): term.speaksOfRows(below: level)
        case .comparison(let left, _, let right), .text(let left, _, let right, _), .arithmetic(let left, _, let right),
            .coalesce(let left, let right):
            left.speaksOfRows(below: level) || right.speaksOfRows(below: level)
        case .and(let terms), .or(let terms), .function(_, let terms):
            terms.contains { $0.speaksOfRows(below: level) }
        case .conditional(let test, let first, let second):
            [test, first, second].contains { $0.speaksOfRows(below: level) }
        case .groupAggregate(_, let term, _): term?.speaksOfRows(below: level) ?? false
        case .any(let rows, let term), .aggregate(_, let rows, let term), .element(let rows, _, let term):
            rows.owner.level < level || rows.filter?.speaksOfRows(below: level) == true
                || term.speaksOfRows(below: level)
        case .fullText(let reference), .matches(let reference, _), .fullTextValue(let reference, _, _):
            reference.path.level < level
        case .box(let index, _): index.columns.contains { $0.path.level < level }
        }
    }

    /// The condition in which searches in R-trees that are terms of the conjunction are replaced by comparisons of
    /// columns.
    var comparingCoordinates: SQLExpression {
        switch self {
        case .and(let terms): .and(terms.map(\.comparingCoordinates))
        case .box(let index, let ranges): Self.comparisons(index, ranges)
        default: self
        }
    }

    /// The expression with all searches in R-trees replaced by comparisons of columns.
    var withoutRTrees: SQLExpression {
        switch mapTerms(\.withoutRTrees) {
        case .box(let index, let ranges): Self.comparisons(index, ranges)
        case .any(let rows, let term): .any(rows.withoutSearch, term)
        case .aggregate(let aggregate, let rows, let term): .aggregate(aggregate, rows.withoutSearch, term)
        case .element(let rows, let position, let term): .element(rows.withoutSearch, position, term)
        case let other: other
        }
    }

    /// Returns the expression with each of its parts replaced.
    func mapTerms(_ transform: (SQLExpression) -> SQLExpression) -> SQLExpression {
        switch self {
        case .value, .identifier, .now, .unsupported, .column, .isEntity, .box, .fullText, .matches, .fullTextValue:
            self
        case .isIn(let term, let values): .isIn(transform(term), values)
        case .isOneOf(let term, let identifiers, let root): .isOneOf(transform(term), identifiers, root: root)
        case .not(let term): .not(transform(term))
        case .comparison(let left, let comparison, let right):
            .comparison(transform(left), comparison, transform(right))
        case .text(let left, let comparison, let right, let options):
            .text(transform(left), comparison, transform(right), options)
        case .arithmetic(let left, let operation, let right):
            .arithmetic(transform(left), operation, transform(right))
        case .coalesce(let left, let right): .coalesce(transform(left), transform(right))
        case .and(let terms): .and(terms.map(transform))
        case .or(let terms): .or(terms.map(transform))
        case .function(let function, let terms): .function(function, terms.map(transform))
        case .conditional(let test, let first, let second):
            .conditional(transform(test), transform(first), transform(second))
        case .groupAggregate(let aggregate, let term, let isDistinct):
            .groupAggregate(aggregate, term.map(transform), isDistinct: isDistinct)
        case .any(let rows, let term): .any(rows.mapFilter(transform), transform(term))
        case .aggregate(let aggregate, let rows, let term):
            .aggregate(aggregate, rows.mapFilter(transform), transform(term))
        case .element(let rows, let position, let term):
            .element(rows.mapFilter(transform), position, transform(term))
        }
    }

    static func comparisons(_ index: RTreeReference, _ ranges: [ClosedRange<Double>]) -> SQLExpression {
        .and(
            zip(index.columns, ranges).flatMap { column, range -> [SQLExpression] in
                [
                    .comparison(.column(column), .greaterOrEqual, .value(.real(range.lowerBound))),
                    .comparison(.column(column), .lessOrEqual, .value(.real(range.upperBound))),
                ]
            })
    }
}

extension RelatedRows {
    fileprivate func mapFilter(_ transform: (SQLExpression) -> SQLExpression) -> RelatedRows {
        var result = self
        result.filter = filter.map(transform)
        return result
    }

    fileprivate var withoutSearch: RelatedRows {
        var result = self
        result.search = nil
        return result
    }
}
