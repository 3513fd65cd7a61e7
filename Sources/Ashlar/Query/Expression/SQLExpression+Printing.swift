import AshlarSQLite

extension SQLExpression {
    /// The expression as SQL. A condition may be NULL where it does not hold; see ``valueSQL(_:)``.
    func sql(_ statement: inout SQLStatement) -> String {
        switch self {
        case .value(let value): return statement.parameter(value)
        case .now: return statement.parameter(.real(statement.time.seconds))
        case .column(let reference):
            statement.join(reference.path)
            return reference.sql
        case .comparison(let left, let comparison, let right):
            return Self.sql(left, comparison, right, &statement)
        case .text(let expression, let comparison, let pattern, let options):
            return Self.sql(expression, comparison, pattern, options, &statement)
        case .isIn(let expression, let values):
            return Self.sql(expression, isIn: values, &statement)
        case .and(let terms):
            return terms.isEmpty ? "1" : Self.sql(terms, joinedBy: " AND ", &statement)
        case .or(let terms):
            return terms.isEmpty ? "0" : Self.sql(terms, joinedBy: " OR ", &statement)
        case .not(let term):
            return "((\(term.sql(&statement))) IS NOT TRUE)"
        case .arithmetic(let left, let operation, let right):
            return Self.sql(left, operation, right, &statement)
        case .function(let function, let arguments):
            let count = statement.collationCount
            let call = function.call(arguments.map { $0.valueSQL(&statement) })
            return settled(call, count, &statement)
        case .conditional(let test, let first, let second):
            let count = statement.collationCount
            let (first, second) = Self.alike(first, second)
            let choice =
                "CASE WHEN \(test.sql(&statement)) THEN \(first.valueSQL(&statement))"
                + " ELSE \(second.valueSQL(&statement)) END"
            return settled(choice, count, &statement)
        case .coalesce(let first, let second):
            let count = statement.collationCount
            let (first, second) = Self.alike(first, second)
            let call = "coalesce(\(first.valueSQL(&statement)), \(second.valueSQL(&statement)))"
            return settled(call, count, &statement)
        case .any(let rows, let condition):
            if case .rtree(let search)? = rows.search { return rows.sql(&statement, where: condition, foundBy: search) }
            let source = rows.sql(&statement, where: condition) { _ in "" }
            return "EXISTS (SELECT 1 \(source.from))"
        case .aggregate(let aggregate, let rows, let value):
            return Self.sql(aggregate, rows, value, &statement)
        case .groupAggregate(let aggregate, let value, let isDistinct):
            return Self.sql(aggregate, value, isDistinct, &statement)
        case .element(let rows, let position, let value):
            return Self.sql(rows, position, value, &statement)
        case .isEntity(let path, let names):
            return Self.sql(path, isOf: names, &statement)
        case .box(let index, let ranges):
            return Self.sql(index, ranges, &statement)
        case .fullText(let reference):
            statement.error = reference.unmatched
            return "NULL"
        case .matches(let reference, let query):
            return Self.sql(reference, matches: query, &statement)
        case .fullTextValue(let reference, let query, let value):
            return Self.sql(reference, query, value, &statement)
        case .unsupported(let error):
            statement.error = error
            return "NULL"
        }
    }

    /// The expression as SQL with a value that a condition has too: 1 or 0, never NULL.
    func valueSQL(_ statement: inout SQLStatement) -> String {
        switch self {
        case .not, .any: sql(&statement)
        case _ where isCondition: "((\(sql(&statement))) IS TRUE)"
        case .conditional: "(\(sql(&statement)))"
        default: sql(&statement)
        }
    }

    /// Whether it is a constant that should be a number and is none.
    var isNotANumber: Bool {
        switch self {
        case .value(let value): value.isNotANumber
        case .function(.toDecimal, let arguments): arguments.first?.isNotANumber == true
        default: false
        }
    }

    /// The value with a collation of its own where parts of it, written since there were so many, have any: SQLite would
    /// compare a text as the decimal numbers that decided which text it is.
    private func settled(_ text: String, _ count: Int, _ statement: inout SQLStatement) -> String {
        if statement.collationCount == count { return text }
        return text + statement.collation(isDecimal ? DecimalCollation.name : "BINARY")
    }

    /// The expression as SQL to order by.
    func orderSQL(_ statement: inout SQLStatement) -> String {
        let value = valueSQL(&statement)
        // A parameter would be taken for the number of a column.
        if case .value = self { return "(\(value))" }
        return isDecimal ? value + Self.collation(self, self, &statement) : value
    }

    /// How many terms SQLite may be given one after the other: it makes a tree of them that is as deep, and takes 1000.
    private static let longestList = 400

    private static func sql(
        _ terms: [SQLExpression], joinedBy separator: String, _ statement: inout SQLStatement
    ) -> String {
        if terms.count > longestList {
            let middle = terms.count / 2
            let first = sql(Array(terms[..<middle]), joinedBy: separator, &statement)
            return "(" + first + separator + sql(Array(terms[middle...]), joinedBy: separator, &statement) + ")"
        }
        var text = "("
        text.reserveCapacity(terms.count * 48)
        for index in terms.indices {
            if index > 0 { text += separator }
            text += terms[index].sql(&statement)
        }
        text += ")"
        return text
    }

    // MARK: Comparisons

    private static func sql(
        _ left: SQLExpression, _ comparison: Comparison, _ right: SQLExpression, _ statement: inout SQLStatement
    ) -> String {
        // As in Swift, it equals nothing, and is neither less nor greater; SQLite would take it for NULL.
        if left.isNotANumber || right.isNotANumber { return comparison == .notEqual ? "1" : "0" }
        if left.isDecimal || right.isDecimal {
            let (left, right) = alike(left, right)
            return text(left, comparison, right, collation(left, right, &statement), &statement)
        }
        return text(left, comparison, right, nil, &statement)
    }

    private static func text(
        _ left: SQLExpression, _ comparison: Comparison, _ right: SQLExpression, _ collation: String?,
        _ statement: inout SQLStatement
    ) -> String {
        var text = left.valueSQL(&statement)
        if case .value(.null) = right, comparison == .equal || comparison == .notEqual {
            return "\(text) \(comparison.rawValue) NULL"
        }
        if let collation { text += collation }
        // With a value that is not NULL both mean the same, and only this form can use a partial index.
        let isPlain = comparison == .equal && (right.isNeverNull || left.isNeverNull)
        text += isPlain ? " = " : comparison.operatorText
        text += right.valueSQL(&statement)
        return text
    }

    /// The two made decimal numbers where one of them is.
    static func alike(_ left: SQLExpression, _ right: SQLExpression) -> (SQLExpression, SQLExpression) {
        left.isDecimal == right.isDecimal ? (left, right) : (left.asDecimal, right.asDecimal)
    }

    private var asDecimal: SQLExpression {
        if isDecimal { return self }
        if case .value(let value) = self { return .value(DecimalNumber.value(value)) }
        return .function(.toDecimal, [self])
    }

    /// What follows the first of two decimal numbers, unless a column brings the collation along.
    private static func collation(
        _ left: SQLExpression, _ right: SQLExpression, _ statement: inout SQLStatement
    ) -> String {
        if case .column = left { return "" }
        if case .value = left, case .column = right { return "" }
        return statement.collation(DecimalCollation.name)
    }

    private var isNeverNull: Bool {
        if case .value(let value) = self { return !value.isNull }
        return false
    }

    private static func sql(
        _ expression: SQLExpression, isIn values: [SQLiteValue], _ statement: inout SQLStatement
    ) -> String {
        let known = values.filter { !$0.isNull && !$0.isNotANumber }
        var column = expression.valueSQL(&statement)
        if expression.isDecimal { column += collation(expression, expression, &statement) }
        let condition: String
        if known.isEmpty {
            condition = "0"
        } else if known.count < ValueList.minimumCount {
            condition = "\(column) IN (\(known.map { statement.parameter($0) }.joined(separator: ", ")))"
        } else {
            condition = "\(column) IN (\(ValueList.sql(known, &statement)))"
        }
        return values.contains(.null) ? "(\(condition) OR \(column) IS NULL)" : condition
    }

    private static func sql(
        _ path: ColumnPath, isOf names: [String?], _ statement: inout SQLStatement
    ) -> String {
        statement.join(path)
        let alias = path.alias.quotedIdentifier
        // No names stand for all entities of the table.
        if names.isEmpty { return "\(alias).\"id$\" IS NOT NULL" }
        let column = "\(alias).\"entity$\""
        let known = names.compactMap { $0.map { statement.parameter(.text($0)) } }
        let named = known.isEmpty ? nil : "\(column) IN (\(known.joined(separator: ", ")))"
        guard names.contains(nil) else { return named ?? "0" }
        let root = "(\(column) IS NULL AND \(alias).\"id$\" IS NOT NULL)"
        return named.map { "(\(root) OR \($0))" } ?? root
    }

    // MARK: Numbers

    private static func sql(
        _ left: SQLExpression, _ operation: Arithmetic, _ right: SQLExpression, _ statement: inout SQLStatement
    ) -> String {
        if left.isDecimal || right.isDecimal {
            let count = statement.collationCount
            let call = operation.decimalFunction.call([left.valueSQL(&statement), right.valueSQL(&statement)])
            return SQLExpression.arithmetic(left, operation, right).settled(call, count, &statement)
        }
        return "(\(left.valueSQL(&statement)) \(operation.rawValue) \(right.valueSQL(&statement)))"
    }

    private static func sql(
        _ index: RTreeReference, _ ranges: [ClosedRange<Double>], _ statement: inout SQLStatement
    ) -> String {
        var candidates: [String] = []
        var exact: [String] = []
        for (column, range) in zip(index.columns, ranges) {
            statement.join(column.path)
            let lower = statement.parameter(.real(range.lowerBound))
            let upper = statement.parameter(.real(range.upperBound))
            let minimum = (column.name + "$min").quotedIdentifier
            let maximum = (column.name + "$max").quotedIdentifier
            // What is beyond the tree's 32-bit floats is infinite in it.
            let farthest = Double(Float.greatestFiniteMagnitude)
            let least = range.lowerBound < -farthest ? statement.parameter(.real(-.infinity)) : lower
            let greatest = range.upperBound > farthest ? statement.parameter(.real(.infinity)) : upper
            candidates.append("\(maximum) >= \(least) AND \(minimum) <= \(greatest)")
            // The plus keeps the planner from choosing another index for this side.
            exact.append("+\(column.sql) BETWEEN \(lower) AND \(upper)")
        }
        guard let first = index.columns.first else { return "1" }
        // Rows of a relationship are found by their owner; SQLite would go through all candidates for each.
        let sign = first.path.level > 0 ? "+" : ""
        let identifier = "\(sign)\(first.path.alias.quotedIdentifier).\"id$\""
        return "(\(identifier) IN (SELECT \"id$\" FROM \(index.table.quotedIdentifier) WHERE "
            + candidates.joined(separator: " AND ") + ") AND " + exact.joined(separator: " AND ") + ")"
    }
}

extension SQLExpression.Comparison {
    fileprivate var operatorText: String {
        switch self {
        case .equal: " IS "
        case .notEqual: " IS NOT "
        case .less: " < "
        case .lessOrEqual: " <= "
        case .greater: " > "
        case .greaterOrEqual: " >= "
        }
    }
}

extension ScalarFunction {
    func call(_ arguments: [String]) -> String { "\(sqlName)(\(arguments.joined(separator: ", ")))" }
}

extension SQLExpression.Arithmetic {
    var decimalFunction: ScalarFunction {
        switch self {
        case .add: .addDecimals
        case .subtract: .subtractDecimals
        case .multiply: .multiplyDecimals
        case .divide: .divideDecimals
        }
    }
}
