/// An error in a format string: its place, the expected text, and a suggestion.
public struct PredicateFormatError: Error, Sendable, Hashable {
    /// The kind of a mistake.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The text is not of the language.
        case syntax
        /// The text is valid, but uses a feature that stores do not have.
        case unsupported
        /// The nesting is deeper, or the expression longer, than ``PredicateFormatLimits`` allows.
        case tooComplex = "too-complex"
        /// A function has too few or too many arguments.
        case argumentCount = "argument-count"
        /// No function or operator has the name.
        case unknownFunction = "unknown-function"
        /// No property of the entity has the name.
        case unknownProperty = "unknown-property"
        /// No index of the entity has the name.
        case unknownIndex = "unknown-index"
        /// The property exists, but has no place in a predicate.
        case unusableProperty = "unusable-property"
        /// One value is expected, but a to-many relationship gives many, or the reverse.
        case toMany = "to-many"
        /// Values of two types that are never equal are compared or combined.
        case incompatibleTypes = "incompatible-types"
        /// The operator has no meaning for values of this type.
        case invalidOperator = "invalid-operator"
        /// A `$VARIABLE` is used with two types.
        case conflictingVariable = "conflicting-variable"
        /// The type of a `$VARIABLE` follows from nothing.
        case unknownVariable = "unknown-variable"
        /// The expression cannot be the derivation of an attribute.
        case invalidDerivation = "invalid-derivation"
    }

    /// The kind of the mistake.
    public var code: Code
    /// The place, as UTF-8 offsets into the text.
    public var range: Range<Int>
    /// One sentence without a full stop.
    public var message: String
    /// A suggestion, as a sentence without a full stop.
    public var hint: String?

    /// The hint as a sentence of its own.
    package var note: String? { hint.map { $0.prefix(1).uppercased() + $0.dropFirst() } }

    /// Makes an error.
    public init(_ code: Code, at range: Range<Int>, _ message: String, hint: String? = nil) {
        self.code = code
        self.range = range
        self.message = message
        self.hint = hint
    }
}

extension PredicateFormatError: CustomStringConvertible {
    /// The offset, the message and the hint on one line.
    public var description: String {
        "\(range.lowerBound): \(message)" + (note.map { ". \($0)" } ?? "")
    }
}

/// The greatest size of a predicate. Hostile text beyond it is an error, and does not exhaust the stack.
public enum PredicateFormatLimits {
    /// The greatest depth of nested parentheses, functions and operators.
    public static let depth = 40
    /// The number of comparisons. An `IN` with a list of any length is one.
    public static let comparisonCount = 10_000
    /// The greatest number of reported errors of one predicate.
    public static let errorCount = 20
}
