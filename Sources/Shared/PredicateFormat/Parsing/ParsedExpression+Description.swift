extension ParsedExpression: CustomStringConvertible {
    /// The canonical format string: reading it gives the same tree.
    public var description: String {
        switch kind {
        case .constant(let constant): constant.description
        case .evaluatedObject: "SELF"
        case .variable(let name): "$" + name
        case .argument(let argument): argument.description
        case .keyPath(let base, let components):
            ((base.map { [$0.asPrimary] } ?? []) + components.map(\.description)).joined(separator: ".")
        case .aggregate(let elements): "{\(Self.list(elements))}"
        case .arithmetic(let join, let left, let right):
            "\(left.asOperand(of: join, isRight: false)) \(join.rawValue) \(right.asOperand(of: join, isRight: true))"
        case .negation(let operand): operand.isSigned ? "-\(operand)" : "-(\(operand))"
        case .set(let join, let left, let right):
            "\(left.asSetOperand) \(join.rawValue) \(right.asSetOperand)"
        case .function(let function, let arguments): "\(function.rawValue)(\(Self.list(arguments)))"
        case .message(let selector, let target, let arguments):
            "FUNCTION(\(Self.list([target, ParsedExpression(.constant(.string(selector)))] + arguments)))"
        case .subquery(let collection, let variable, let predicate):
            "SUBQUERY(\(collection), $\(variable), \(predicate))"
        case .conditional(let condition, let first, let second): "TERNARY(\(condition), \(first), \(second))"
        case .cast(let operand, let type): "CAST(\(operand), \(Constant.string(type)))"
        case .element(let collection, let index): "\(collection.asPrimary)[\(index)]"
        }
    }

    private static func list(_ expressions: [ParsedExpression]) -> String {
        expressions.map(\.description).joined(separator: ", ")
    }

    private var isNumber: Bool {
        switch kind {
        case .constant(.integer), .constant(.decimal): true
        default: false
        }
    }

    /// Whether a sign can stand before the text: before a literal it would become part of it.
    private var isSigned: Bool {
        if case .negation = kind { true } else { isPrimary && !isNumber }
    }

    private var isPrimary: Bool {
        switch kind {
        case .arithmetic, .negation, .set: false
        default: true
        }
    }

    /// The text in a form that a '.' or a bracket can follow.
    private var asPrimary: String {
        isPrimary && !isNumber ? description : "(\(description))"
    }

    private var asSetOperand: String {
        if case .set = kind { "(\(description))" } else { description }
    }

    private func asOperand(of outer: ArithmeticOperator, isRight: Bool) -> String {
        let needsParentheses: Bool
        switch kind {
        case .set: needsParentheses = true
        case .arithmetic(let inner, _, _):
            // Readers differ about the order of powers.
            needsParentheses =
                inner.precedence < outer.precedence || (isRight && inner.precedence == outer.precedence)
                || outer == .power
        default: needsParentheses = false
        }
        return needsParentheses ? "(\(description))" : description
    }
}

extension ArithmeticOperator {
    fileprivate var precedence: Int {
        switch self {
        case .add, .subtract: 0
        case .multiply, .divide: 1
        case .power: 2
        }
    }
}

extension KeyPathComponent: CustomStringConvertible {
    /// The component as it stands in a format string, with a `#` if it is a keyword.
    public var description: String {
        switch kind {
        case .property(let name): Keyword(word: name) == nil ? name : "#" + name
        case .collectionOperator(let known): "@" + known.rawValue
        case .argument(let index): "%\(index + 1)$K"
        }
    }
}

extension FormatArgument: CustomStringConvertible {
    /// The placeholder with its position.
    public var description: String {
        let letter =
            switch kind {
            case .object: "@"
            case .signedInteger: "lld"
            case .unsignedInteger: "llu"
            case .real: "f"
            }
        return "%\(index + 1)$\(letter)"
    }
}

extension CollectionIndex: CustomStringConvertible {
    /// The text between the brackets.
    public var description: String {
        switch self {
        case .first: "FIRST"
        case .last: "LAST"
        case .size: "SIZE"
        case .at(let index): index.description
        }
    }
}

extension Constant: CustomStringConvertible {
    /// The literal as it stands in a format string.
    public var description: String {
        switch self {
        case .integer(let value): "\(value)"
        case .decimal(let text): text
        case .boolean(let value): value ? "YES" : "NO"
        case .null: "nil"
        case .string(let text): Self.quoted(text)
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}":
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
