/// A number that all queries of one shape have, to look up the statement of a shape that was seen before.
///
/// It leaves out what costs more to look at than it would tell, names above all: other shapes may have the number too.
struct ShapeNumber {
    private(set) var bits: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func combine(_ part: Int) {
        bits = (bits ^ UInt64(truncatingIfNeeded: part)) &* 0x100_0000_01B3
    }

    mutating func combine(_ expression: SQLExpression) {
        switch expression {
        case .value(let value): combine(value.isNull ? 1 : 2)
        case .now: combine(3)
        case .column(let reference):
            combine(4)
            combine(reference)
        case .comparison(let left, let comparison, let right):
            combine(comparison.shapeNumber)
            combine(left)
            combine(right)
        case .text(let text, _, let pattern, let options):
            combine(5 + options.rawValue << 8)
            combine(text)
            combine(pattern)
        case .isIn(let term, let values):
            combine(6 + values.count << 8)
            combine(term)
        case .and(let terms): combine(terms, 7)
        case .or(let terms): combine(terms, 8)
        case .not(let term):
            combine(9)
            combine(term)
        case .arithmetic(let left, _, let right):
            combine(10)
            combine(left)
            combine(right)
        case .function(_, let arguments): combine(arguments, 11)
        case .conditional(let test, let first, let second):
            combine(12)
            combine(test)
            combine(first)
            combine(second)
        case .coalesce(let first, let second):
            combine(13)
            combine(first)
            combine(second)
        case .any(let rows, let condition):
            combine(14)
            combine(rows)
            combine(condition)
        case .aggregate(_, let rows, let value), .element(let rows, _, let value):
            combine(15)
            combine(rows)
            combine(value)
        case .groupAggregate(_, let value, _):
            combine(16)
            if let value { combine(value) }
        case .isEntity(let path, let names):
            combine(17 + names.count << 8)
            combine(path)
        case .box, .fullText, .matches, .fullTextValue, .unsupported: combine(18)
        }
    }

    private mutating func combine(_ terms: [SQLExpression], _ number: Int) {
        combine(number + terms.count << 8)
        for term in terms { combine(term) }
    }

    private mutating func combine(_ reference: ColumnReference) {
        combine(reference.column)
        combine(reference.path)
    }

    private mutating func combine(_ path: ColumnPath) {
        combine(path.level + path.steps.count << 8)
        for step in path.steps { combine(step.column) }
    }

    private mutating func combine(_ rows: RelatedRows) {
        combine(rows.number + rows.level << 16 + (rows.search == nil ? 0 : 1 << 24))
        combine(rows.owner)
        if let filter = rows.filter { combine(filter) }
    }
}

extension SQLExpression.Comparison {
    fileprivate var shapeNumber: Int {
        switch self {
        case .equal: 32
        case .notEqual: 33
        case .less: 34
        case .lessOrEqual: 35
        case .greater: 36
        case .greaterOrEqual: 37
        }
    }
}
