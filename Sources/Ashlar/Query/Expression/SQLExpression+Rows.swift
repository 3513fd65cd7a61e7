/// Which rows an expression speaks of, and by what they are found.
extension SQLExpression {
    /// Whether the expression speaks of rows around those of a level; see ``ColumnPath/level``.
    func speaksOfRows(below level: Int) -> Bool {
        switch self {
        case .value, .now, .unsupported: false
        case .column(let reference): reference.path.level < level
        case .isEntity(let path, _): path.level < level
        case .isIn(let term, _), .not(let term): term.speaksOfRows(below: level)
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

    /// The condition with comparisons of columns for the searches in R-trees that must all find the row.
    var comparingCoordinates: SQLExpression {
        switch self {
        case .and(let terms): .and(terms.map(\.comparingCoordinates))
        case .box(let index, let ranges): Self.comparisons(index, ranges)
        default: self
        }
    }

    /// The expression with comparisons of columns for all searches in R-trees, wherever they stand.
    var withoutRTrees: SQLExpression {
        switch self {
        case .value, .now, .unsupported, .column, .isEntity, .fullText, .matches, .fullTextValue: self
        case .isIn(let term, let values): .isIn(term.withoutRTrees, values)
        case .not(let term): .not(term.withoutRTrees)
        case .comparison(let left, let comparison, let right):
            .comparison(left.withoutRTrees, comparison, right.withoutRTrees)
        case .text(let left, let comparison, let right, let options):
            .text(left.withoutRTrees, comparison, right.withoutRTrees, options)
        case .arithmetic(let left, let operation, let right):
            .arithmetic(left.withoutRTrees, operation, right.withoutRTrees)
        case .coalesce(let left, let right): .coalesce(left.withoutRTrees, right.withoutRTrees)
        case .and(let terms): .and(terms.map(\.withoutRTrees))
        case .or(let terms): .or(terms.map(\.withoutRTrees))
        case .function(let function, let terms): .function(function, terms.map(\.withoutRTrees))
        case .conditional(let test, let first, let second):
            .conditional(test.withoutRTrees, first.withoutRTrees, second.withoutRTrees)
        case .groupAggregate(let aggregate, let term, let isDistinct):
            .groupAggregate(aggregate, term?.withoutRTrees, isDistinct: isDistinct)
        case .any(let rows, let term): .any(rows.withoutRTrees, term.withoutRTrees)
        case .aggregate(let aggregate, let rows, let term):
            .aggregate(aggregate, rows.withoutRTrees, term.withoutRTrees)
        case .element(let rows, let position, let term): .element(rows.withoutRTrees, position, term.withoutRTrees)
        case .box(let index, let ranges): Self.comparisons(index, ranges)
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
    fileprivate var withoutRTrees: RelatedRows {
        var result = self
        result.filter = filter?.withoutRTrees
        result.search = nil
        return result
    }
}
