import PredicateFormat
import RelationalSchema

extension StatementTarget {
    // MARK: Values

    func constant(_ constant: Constant, as type: ResolvedType) -> StatementExpression {
        switch constant {
        case .null: StatementExpression(sql: "?", kind: .null)
        case .string(let text) where type != .value(.uuid) && type != .value(.date):
            StatementExpression(sql: "?", kind: .text(text))
        default: .parameter
        }
    }

    func value(of source: PredicateValueSource, as type: ResolvedType) -> StatementExpression {
        type == .value(.decimal) ? Self.givenDecimal : .parameter
    }

    func bounds(
        of source: PredicateValueSource, as type: ResolvedType
    ) -> (StatementExpression, StatementExpression) {
        let bound = value(of: source, as: type)
        return (bound, bound)
    }

    var now: StatementExpression { StatementExpression(sql: "?") }

    func arithmetic(
        _ arithmetic: ArithmeticOperator, _ left: StatementExpression, _ right: StatementExpression
    ) -> StatementExpression {
        guard left.isDecimal || right.isDecimal else {
            return StatementExpression(sql: "(\(left.value) \(arithmetic.rawValue) \(right.value))")
                .collated(left, right)
        }
        let name =
            switch arithmetic {
            case .add: "addDecimals"
            case .subtract: "subtractDecimals"
            case .multiply: "multiplyDecimals"
            case .divide: "divideDecimals"
            case .power: "power"
            }
        return StatementExpression(sql: "ashlar_\(name)(\(left.value), \(right.value))", isDecimal: true)
            .settled(left, right)
    }

    func function(_ function: LoweredFunction, _ arguments: [StatementExpression]) -> StatementExpression {
        let keepsDecimals =
            switch function {
            case .absolute, .roundedUp, .roundedDown, .roundedTowardZero, .remainder, .minimum, .maximum: true
            default: false
            }
        let result = StatementExpression(
            sql: "ashlar_\(function.rawValue)(\(arguments.map(\.value).joined(separator: ", ")))",
            isDecimal: function == .toDecimal || keepsDecimals && arguments.contains { $0.isDecimal })
        return arguments.first(where: \.isCollated).map { result.settled($0) } ?? result
    }

    func folded(_ expression: StatementExpression, _ options: ComparisonOptions) -> StatementExpression {
        if options.isEmpty || expression.isValue { return expression }
        return StatementExpression(sql: "ashlar_fold(\(expression.value), ?)").settled(expression)
    }

    func conditional(
        _ test: StatementExpression, _ first: StatementExpression, _ second: StatementExpression
    ) -> StatementExpression {
        let (first, second) = StatementExpression.alike(first, second)
        return StatementExpression(
            sql: "CASE WHEN \(test.sql) THEN \(first.value) ELSE \(second.value) END", kind: .conditional,
            isDecimal: first.isDecimal || second.isDecimal
        ).settled(test, first, second)
    }

    // MARK: Conditions

    func comparison(
        _ left: StatementExpression, _ comparison: ComparisonOperator, _ right: StatementExpression
    ) -> StatementExpression {
        let (left, right) = StatementExpression.alike(left, right)
        let isEquality = comparison == .equalTo
        let nullable = isEquality ? "IS" : "IS NOT"
        if right.kind == .null, isEquality || comparison == .notEqualTo {
            return StatementExpression(sql: "\(left.value) \(nullable) NULL", kind: .condition).collated(left)
        }
        let collation = left.isDecimal || right.isDecimal ? collation(left, right) : ""
        let first = left.value + collation
        let mark =
            switch comparison {
            case .equalTo: left.isNeverNull || right.isNeverNull ? "=" : nullable
            case .notEqualTo: nullable
            default: comparison.rawValue
            }
        return StatementExpression(
            sql: "\(first) \(mark) \(right.value)", kind: .condition, isCollated: !collation.isEmpty
        ).collated(left, right)
    }

    /// What follows the first of two decimal numbers, unless a column brings the collation along.
    private func collation(_ left: StatementExpression, _ right: StatementExpression) -> String {
        if left.kind == .column || left.isValue && right.kind == .column { return "" }
        return Self.collation
    }

    func text(
        _ left: StatementExpression, _ comparison: ComparisonOperator, _ right: StatementExpression,
        _ options: ComparisonOptions
    ) -> StatementExpression {
        if case .fullText(let name) = left.kind {
            let table = SQLText.identifier(name)
            let found = "\(left.sql) IN (SELECT \"rowid\" FROM \(table) WHERE \(table) MATCH ?)"
            return right.isNeverNull ? StatementExpression(sql: found, kind: .condition) : or([])
        }
        let text = left.value
        let sql: String
        switch (comparison, options.isEmpty) {
        case (.contains, true): sql = "instr(\(text), \(right.value)) > 0"
        case (.beginsWith, true) where right.isNeverNull:
            let hasEnd = if case .text(let prefix) = right.kind { PrefixRange.end(of: prefix) != nil } else { true }
            sql = hasEnd ? "(\(text) >= ? AND \(text) < ?)" : "\(text) >= ?"
        case (.endsWith, true) where right.isNeverNull:
            let length = if case .text(let suffix) = right.kind { suffix.utf8.count } else { 1 }
            sql = length == 0 ? "\(text) IS NOT NULL" : "substr(CAST(\(text) AS BLOB), \(-length)) = ?"
        default:
            sql = "ashlar_\(Self.functionName(comparison))(\(text), \(right.value), ?)"
        }
        return StatementExpression(sql: sql, kind: .condition).collated(left, right)
    }

    private static func functionName(_ comparison: ComparisonOperator) -> String {
        switch comparison {
        case .beginsWith: "hasPrefix"
        case .endsWith: "hasSuffix"
        case .like: "like"
        case .matches: "matches"
        default: "contains"
        }
    }

    func isIn(_ expression: StatementExpression, _ elements: [StatementExpression]) -> StatementExpression {
        guard elements.allSatisfy({ $0.isValue || $0.isGivenDecimal }) else {
            return or(elements.map { comparison(expression, .equalTo, $0) })
        }
        let known = elements.filter { $0.kind != .null }
        let collation = expression.isDecimal ? collation(expression, expression) : ""
        let column = expression.value + collation
        let list = known.map { _ in "?" }.joined(separator: ", ")
        let condition = known.isEmpty ? "0" : "\(column) IN (\(list))"
        let sql = known.count == elements.count ? condition : "(\(condition) OR \(column) IS NULL)"
        return StatementExpression(sql: sql, kind: .condition, isCollated: !collation.isEmpty).collated(expression)
    }

    func isIn(
        _ expression: StatementExpression, _ source: PredicateValueSource, of type: ResolvedType,
        _ options: ComparisonOptions
    ) -> StatementExpression {
        isIn(expression, [.parameter, .parameter])
    }

    func and(_ expressions: [StatementExpression]) -> StatementExpression { joined(expressions, " AND ", empty: "1") }

    func or(_ expressions: [StatementExpression]) -> StatementExpression { joined(expressions, " OR ", empty: "0") }

    private func joined(_ terms: [StatementExpression], _ mark: String, empty: String) -> StatementExpression {
        StatementExpression(
            sql: terms.isEmpty ? empty : "(" + terms.map(\.sql).joined(separator: mark) + ")", kind: .condition,
            isCollated: terms.contains(where: \.isCollated))
    }

    func not(_ expression: StatementExpression) -> StatementExpression {
        StatementExpression(sql: "((\(expression.sql)) IS NOT TRUE)", kind: .truth).collated(expression)
    }
}
