import DataModel
import Foundation
import PredicateFormat

/// Prints predicates and expressions about one object as SQL over the columns of its row, for the definition of an
/// index.
///
/// Values are literals, and all functions are SQLite's own and deterministic, so that every program can maintain the
/// index. The runtime prints the same text for a condition with the same meaning: SQLite uses a partial index only if
/// the query has the same terms.
struct RowExpression {
    /// The columns of attributes and to-one relationships by name; nil for a name without a column.
    let columnName: (String) -> String?

    typealias Failure = PredicateFormatError

    // MARK: Predicates

    func sql(_ predicate: ResolvedPredicate) throws(Failure) -> String {
        switch predicate.kind {
        case .value(let value): return value ? "1" : "0"
        case .and(let operands): return try "(\(texts(operands).joined(separator: " AND ")))"
        case .or(let operands): return try "(\(texts(operands).joined(separator: " OR ")))"
        // A comparison with NULL is NULL, and NOT does not make it true.
        case .not(let operand): return "((\(try sql(operand))) IS NOT TRUE)"
        case .comparison(let comparison): return try sql(comparison, predicate.range)
        }
    }

    private func texts(_ predicates: [ResolvedPredicate]) throws(Failure) -> [String] {
        var texts: [String] = []
        for predicate in predicates { texts.append(try sql(predicate)) }
        return texts
    }

    private func sql(
        _ comparison: ResolvedPredicate.Comparison, _ range: Range<Int>
    ) throws(Failure) -> String {
        let options = comparison.options.subtracting(.normalized)
        guard options.isEmpty else {
            throw refusal(
                range, "SQLite cannot compare without regard to case, marks or width in an index",
                hint: "derive an attribute by canonical:(…), and compare or index that")
        }
        guard comparison.modifier == .direct, comparison.left.type.element == nil else { throw otherRows(range) }
        let left = comparison.left
        let right = comparison.right
        switch comparison.operator {
        case .equalTo: return try equality(left, "=", "IS", right)
        case .notEqualTo: return try equality(left, "IS NOT", "IS NOT", right)
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            let type = common(left, right)
            return "\(try sql(left, type)) \(comparison.operator.rawValue) \(try sql(right, type))"
        case .between:
            guard case .aggregate(let bounds) = right.kind, bounds.count == 2 else { throw otherRows(range) }
            let lower = try sql(bounds[0], left.type)
            let upper = try sql(bounds[1], left.type)
            return "\(try sql(left)) BETWEEN \(lower) AND \(upper)"
        case .in: return try membership(left, right, range)
        case .beginsWith, .endsWith, .contains, .like: return try search(left, comparison.operator, right, range)
        case .matches:
            throw refusal(range, "SQLite has no regular expressions", hint: "use LIKE, BEGINSWITH or ENDSWITH")
        }
    }

    private func equality(
        _ left: ResolvedExpression, _ plain: String, _ nullable: String, _ right: ResolvedExpression
    ) throws(Failure) -> String {
        if right.isNull { return "\(try sql(left)) \(nullable) NULL" }
        if left.isNull { return "\(try sql(right)) \(nullable) NULL" }
        let type = common(left, right)
        // For a value other than NULL both forms mean the same, and only the plain one can use an index.
        let join = left.isConstant || right.isConstant ? plain : nullable
        return "\(try sql(left, type)) \(join) \(try sql(right, type))"
    }

    private func membership(
        _ left: ResolvedExpression, _ right: ResolvedExpression, _ range: Range<Int>
    ) throws(Failure) -> String {
        if right.type == .value(.string) { return try search(right, .contains, left, range) }
        guard case .aggregate(let elements) = right.kind else { throw otherRows(range) }
        var texts: [String] = []
        for element in elements where !element.isNull { texts.append(try sql(element, left.type)) }
        let column = try sql(left)
        let condition = texts.isEmpty ? "0" : "\(column) IN (\(texts.joined(separator: ", ")))"
        return texts.count == elements.count ? condition : "(\(condition) OR \(column) IS NULL)"
    }

    private func search(
        _ left: ResolvedExpression, _ comparison: ComparisonOperator, _ right: ResolvedExpression, _ range: Range<Int>
    ) throws(Failure) -> String {
        let column = try sql(left)
        if comparison == .contains { return "instr(\(column), \(try sql(right))) > 0" }
        guard case .constant(.string(let text)) = right.kind else {
            throw refusal(
                range, "'\(comparison.rawValue)' in an index needs a string in quotation marks on its right",
                hint: "CONTAINS takes an attribute too")
        }
        switch comparison {
        case .beginsWith:
            let lower = "\(column) >= \(SQLText.literal(text))"
            guard let end = PrefixRange.end(of: text) else { return lower }
            return "(\(lower) AND \(column) < \(SQLText.literal(end)))"
        case .endsWith:
            if text.isEmpty { return "\(column) IS NOT NULL" }
            let bytes = text.utf8.map { String(format: "%02x", $0) }.joined()
            return "substr(CAST(\(column) AS BLOB), \(-text.utf8.count)) = x'\(bytes)'"
        default: return "\(column) GLOB \(SQLText.literal(Self.glob(of: text)))"
        }
    }

    /// A pattern of LIKE as one of GLOB. A backslash quotes the next character.
    private static func glob(of pattern: String) -> String {
        var result = ""
        var isEscaped = false
        for character in pattern.unicodeScalars {
            if character == "\\", !isEscaped {
                isEscaped = true
                continue
            }
            let isLiteral = character == "[" || (isEscaped && (character == "*" || character == "?"))
            result += isLiteral ? "[\(character)]" : String(character)
            isEscaped = false
        }
        return result
    }

    // MARK: Expressions

    /// Literals are written as the column of the other side stores them.
    private func common(_ left: ResolvedExpression, _ right: ResolvedExpression) -> ResolvedType {
        left.isConstant ? right.type : left.type
    }

    func sql(_ expression: ResolvedExpression, _ type: ResolvedType? = nil) throws(Failure) -> String {
        switch expression.kind {
        case .constant(let constant): return try literal(constant, type ?? expression.type, expression.range)
        case .path(let path): return try column(path, expression.range)
        case .arithmetic(let join, let left, let right): return try arithmetic(join, left, right, expression.range)
        case .negation(let operand): return "(- \(try number(operand)))"
        case .addingTimeInterval(let seconds, let date): return "(\(try sql(date)) + \(try sql(seconds)))"
        case .conditional(let condition, let first, let second):
            return "CASE WHEN \(try sql(condition)) THEN \(try sql(first)) ELSE \(try sql(second)) END"
        case .cast(let operand):
            guard case .constant(let constant) = operand.kind else {
                throw refusal(expression.range, "an index can cast literals only")
            }
            return try literal(constant, expression.type, expression.range)
        case .function(let function, let arguments): return try call(function, arguments, expression.range)
        case .variable, .argument: throw refusal(expression.range, "an index cannot depend on a variable")
        case .aggregate, .collectionOperator, .subquery, .element: throw otherRows(expression.range)
        }
    }

    private func column(_ path: ResolvedPath, _ range: Range<Int>) throws(Failure) -> String {
        let isInRow = path.steps.dropFirst().allSatisfy { if case .composite = $0.owner { true } else { false } }
        guard path.root == .evaluatedObject, isInRow, !path.steps.isEmpty,
            let name = columnName(path.steps.map(\.name).joined(separator: "."))
        else { throw otherRows(range) }
        return SQLText.identifier(name)
    }

    private func number(_ expression: ResolvedExpression) throws(Failure) -> String {
        guard expression.type != .value(.decimal) else {
            throw refusal(
                expression.range, "SQLite cannot compute with decimal numbers without loss",
                hint: "compare the attribute itself, or store an integer, such as cents")
        }
        return try sql(expression)
    }

    private func arithmetic(
        _ join: ArithmeticOperator, _ left: ResolvedExpression, _ right: ResolvedExpression, _ range: Range<Int>
    ) throws(Failure) -> String {
        guard join != .power else { throw refusal(range, "not every SQLite has '**'", hint: "multiply") }
        return "(\(try number(left)) \(join.rawValue) \(try number(right)))"
    }

    private func call(
        _ function: BuiltInFunction, _ arguments: [ResolvedExpression], _ range: Range<Int>
    ) throws(Failure) -> String {
        func operands() throws(Failure) -> [String] {
            var texts: [String] = []
            for argument in arguments { texts.append(try number(argument)) }
            return texts
        }
        func joined(_ mark: String) throws(Failure) -> String {
            "(\(try operands().joined(separator: " \(mark) ")))"
        }
        switch function {
        case .add: return try joined("+")
        case .subtract: return try joined("-")
        case .multiply: return try joined("*")
        case .divide: return try joined("/")
        case .modulus: return try joined("%")
        case .bitwiseAnd: return try joined("&")
        case .bitwiseOr: return try joined("|")
        case .leftShift: return try joined("<<")
        case .rightShift: return try joined(">>")
        case .onesComplement: return "(~ \(try operands().joined()))"
        case .absoluteValue: return "abs(\(try operands().joined()))"
        case .uppercase, .lowercase, .canonical:
            throw refusal(
                range, "SQLite changes the case of ASCII letters only, so '\(function.rawValue)' cannot be indexed",
                hint: "derive an attribute by this expression, and index that")
        case .now, .random, .randomBelow:
            throw refusal(range, "an index cannot depend on '\(function.rawValue)', which changes by itself")
        default: throw refusal(range, "an index cannot be made with '\(function.rawValue)'")
        }
    }

    // MARK: Literals

    private func literal(
        _ constant: Constant, _ type: ResolvedType, _ range: Range<Int>
    ) throws(Failure) -> String {
        let value: ValueType? = if case .value(let value) = type { value } else { nil }
        switch constant {
        case .null: return "NULL"
        case .boolean(let flag): return flag ? "1" : "0"
        case .integer(let number):
            return value == .decimal ? SQLText.literal("\(number)") : "\(number)"
        case .decimal(let text):
            if value == .decimal { return SQLText.literal(text) }
            guard let number = Double(text) else { throw refusal(range, "'\(text)' is not a number") }
            return SQLText.literal(number)
        case .string(let text):
            switch value {
            case .uuid:
                guard let uuid = UUID(uuidString: text) else { throw refusal(range, "'\(text)' is not a UUID") }
                return SQLText.literal(.uuid(uuid))
            case .date, .double, .float:
                guard let number = Double(text) else { throw refusal(range, "'\(text)' is not a number") }
                return SQLText.literal(number)
            case .integer16, .integer32, .integer64, .boolean:
                guard let number = Int64(text) else { throw refusal(range, "'\(text)' is not an integer") }
                return "\(number)"
            default: return SQLText.literal(text)
            }
        }
    }

    private func refusal(_ range: Range<Int>, _ message: String, hint: String? = nil) -> Failure {
        PredicateFormatError(.unsupported, at: range, message, hint: hint)
    }

    private func otherRows(_ range: Range<Int>) -> Failure {
        refusal(
            range, "an index can depend on attributes and to-one relationships of the object itself only",
            hint: "derive an attribute from the values of the other objects, and use that")
    }
}

extension ResolvedExpression {
    fileprivate var isNull: Bool {
        if case .constant(.null) = kind { true } else { false }
    }

    fileprivate var isConstant: Bool {
        switch kind {
        case .constant: true
        case .cast(let operand): operand.isConstant
        default: false
        }
    }
}

/// The range of texts with a prefix, in the order of their bytes.
package enum PrefixRange {
    /// The first text after all texts with the prefix; nil if there is none.
    package static func end(of prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are not characters, so D7FF is followed by E000.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                scalars.append(scalar)
                return String(String.UnicodeScalarView(scalars))
            }
        }
        return nil
    }
}
