/// A predicate as its format string has it, before any name has been looked up.
///
/// Every node has its place in the text. Use ``withoutRanges`` to compare two predicates without their places.
public struct ParsedPredicate: Sendable, Hashable {
    /// The kind of a predicate.
    public indirect enum Kind: Sendable, Hashable {
        case comparison(Comparison)
        /// Two or more predicates that must all hold.
        case and([ParsedPredicate])
        /// Two or more predicates. At least one must hold.
        case or([ParsedPredicate])
        case not(ParsedPredicate)
        /// `TRUEPREDICATE` or `FALSEPREDICATE`.
        case value(Bool)
    }

    /// Two expressions and the operator between them.
    public struct Comparison: Sendable, Hashable {
        /// The treatment of a left side with many values.
        public var modifier: ComparisonModifier
        /// The expression before the operator.
        public var left: ParsedExpression
        /// The operator between the sides.
        public var `operator`: ComparisonOperator
        /// The differences that a comparison of strings ignores.
        public var options: ComparisonOptions
        /// The expression after the operator.
        public var right: ParsedExpression
        /// The place of the operator and its options.
        public var operatorRange: Range<Int>

        /// Makes a comparison.
        public init(
            modifier: ComparisonModifier = .direct, left: ParsedExpression, operator: ComparisonOperator,
            options: ComparisonOptions = [], right: ParsedExpression, operatorRange: Range<Int> = 0..<0
        ) {
            self.modifier = modifier
            self.left = left
            self.operator = `operator`
            self.options = options
            self.right = right
            self.operatorRange = operatorRange
        }
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

    /// Reads a format string.
    ///
    /// A model's strings have no arguments, and a placeholder in them is an error if `allowsArguments` is false.
    public init(parsing format: String, allowsArguments: Bool = true) throws(PredicateFormatError) {
        var parser = try Parser(format, allowsArguments: allowsArguments)
        self = try parser.parseWholePredicate()
    }
}

/// The treatment of a left side that is a collection.
public enum ComparisonModifier: String, Sendable, Hashable, CaseIterable {
    /// As one value.
    case direct = ""
    /// True if it holds for one element at least. `SOME` is its synonym, and `NONE` is `NOT ANY`.
    case any = "ANY"
    /// True if it holds for every element.
    case all = "ALL"
}

/// The operators of comparisons. The raw value is the spelling that ``ParsedPredicate/description`` uses.
public enum ComparisonOperator: String, Sendable, Hashable, CaseIterable {
    case equalTo = "=="
    case notEqualTo = "!="
    case lessThan = "<"
    case lessThanOrEqualTo = "<="
    case greaterThan = ">"
    case greaterThanOrEqualTo = ">="
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case contains = "CONTAINS"
    case like = "LIKE"
    case matches = "MATCHES"
    case `in` = "IN"
    case between = "BETWEEN"
}

/// The differences that a comparison of strings ignores, in brackets after the operator.
public struct ComparisonOptions: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    /// Makes options of their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `c`
    public static let caseInsensitive = ComparisonOptions(rawValue: 1)
    /// `d`
    public static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
    /// `n`: both sides are promised to be folded already, so that their bytes are compared.
    public static let normalized = ComparisonOptions(rawValue: 4)
    /// `l`: as the current locale orders and equates.
    public static let localeSensitive = ComparisonOptions(rawValue: 8)
    /// `w`: full-width and half-width forms are the same.
    public static let widthInsensitive = ComparisonOptions(rawValue: 16)

    static let letters: [(letter: UInt8, option: ComparisonOptions)] = [
        (UInt8(ascii: "c"), .caseInsensitive), (UInt8(ascii: "d"), .diacriticInsensitive),
        (UInt8(ascii: "n"), .normalized), (UInt8(ascii: "l"), .localeSensitive),
        (UInt8(ascii: "w"), .widthInsensitive),
    ]
}
