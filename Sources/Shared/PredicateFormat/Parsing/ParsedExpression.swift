/// An expression as its format string has it, before any name has been looked up.
public struct ParsedExpression: Sendable, Hashable {
    /// The kind of an expression.
    public indirect enum Kind: Sendable, Hashable {
        case constant(Constant)
        /// `SELF`
        case evaluatedObject
        /// `$name`, without the dollar sign.
        case variable(String)
        /// `%@` and similar placeholders, except `%K`, which is a component of a key path.
        case argument(FormatArgument)
        /// Names to follow from an object: from the evaluated one if there is no base.
        case keyPath(base: ParsedExpression?, components: [KeyPathComponent])
        /// `{a, b}`
        case aggregate([ParsedExpression])
        case arithmetic(ArithmeticOperator, ParsedExpression, ParsedExpression)
        case negation(ParsedExpression)
        case set(SetOperator, ParsedExpression, ParsedExpression)
        case function(BuiltInFunction, arguments: [ParsedExpression])
        /// `FUNCTION(target, "selector:", a)`
        case message(selector: String, target: ParsedExpression, arguments: [ParsedExpression])
        /// `SUBQUERY(collection, $variable, predicate)`
        case subquery(ParsedExpression, variable: String, ParsedPredicate)
        /// `TERNARY(predicate, a, b)`
        case conditional(ParsedPredicate, ParsedExpression, ParsedExpression)
        /// `CAST(expression, "NSDate")`
        case cast(ParsedExpression, type: String)
        /// `expression[FIRST]`
        case element(ParsedExpression, CollectionIndex)
    }

    /// The node's kind.
    public var kind: Kind
    /// The place in the text, as UTF-8 offsets.
    public var range: Range<Int>

    /// Makes a node; one that no text was read for has an empty range.
    public init(_ kind: Kind, range: Range<Int> = 0..<0) {
        self.kind = kind
        self.range = range
    }

    /// Reads an expression, such as that of a derived attribute.
    ///
    /// A model's strings have no arguments, and a placeholder in them is an error if `allowsArguments` is false.
    public init(parsing format: String, allowsArguments: Bool = true) throws(PredicateFormatError) {
        var parser = try Parser(format, allowsArguments: allowsArguments)
        self = try parser.parseWholeExpression()
    }
}

/// One step of a key path.
public struct KeyPathComponent: Sendable, Hashable {
    /// The kind of a step.
    public enum Kind: Sendable, Hashable {
        /// The name of a property, without the `#` that keeps it from being read as a keyword.
        case property(String)
        /// `@count` and similar operators.
        case collectionOperator(CollectionOperator)
        /// `%K`: the argument at this position is a key path. See ``ParsedPredicate/replacingKeyPathArguments(_:)``.
        case argument(Int)
    }

    /// The node's kind.
    public var kind: Kind
    /// The place in the text, as UTF-8 offsets.
    public var range: Range<Int>

    /// Makes a node; one that no text was read for has an empty range.
    public init(_ kind: Kind, range: Range<Int> = 0..<0) {
        self.kind = kind
        self.range = range
    }
}

/// The position of an element of a collection, in brackets after it.
public indirect enum CollectionIndex: Sendable, Hashable {
    case first, last
    /// The number of elements.
    case size
    case at(ParsedExpression)
}
