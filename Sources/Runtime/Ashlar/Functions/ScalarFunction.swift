/// A function of values. SQLite calls the very code that the evaluation in memory does, by the name
/// `ashlar_` and the case's.
///
/// A function of NULL is NULL.
@_spi(Generated) public enum ScalarFunction: String, Sendable, Hashable, CaseIterable {
    // Numbers
    case absolute, roundedUp, roundedDown, roundedTowardZero, rounded, roundedToEven, squareRoot, exponential
    case naturalLogarithm, logarithm, power, remainder, minimum, maximum
    case bitwiseAnd, bitwiseOr, bitwiseXor, leftShift, rightShift, complement
    // Decimal numbers
    case addDecimals, subtractDecimals, multiplyDecimals, divideDecimals
    // Text
    case uppercase, lowercase
    /// The text without what the options, which are the second argument, overlook.
    case fold
    /// The text as an attribute derived by `canonical:(…)` holds it.
    case canonical
    /// The number of characters as Swift counts them.
    case characterCount
    /// The number of UTF-16 code units, which Foundation calls the length of a string.
    case length
    /// -1, 0 or 1, as two texts stand to each other in the current locale; the third argument are the options.
    case localizedOrder
    /// -1, 0 or 1, as two texts stand to each other in lists of names and files.
    case localizedStandardOrder
    case hasPrefix, hasSuffix, contains, like, matches
    // Conversions
    case toText, toReal, toInteger, toDecimal
    /// A UUID's bytes as text.
    case uuidText
    /// A value from the form in which a long list of values is bound as one parameter.
    case listed
    // Dates
    /// The start of a calendar's day, month or other period, which the second argument names.
    case periodStart

    /// The prefix of the names of all functions.
    static let prefix = "ashlar_"

    /// The name by which SQL calls the function.
    var sqlName: String { Self.prefix + rawValue }

    /// Whether a decimal argument makes the result one.
    var keepsDecimals: Bool {
        switch self {
        case .absolute, .roundedUp, .roundedDown, .roundedTowardZero, .rounded, .roundedToEven, .remainder, .minimum,
            .maximum, .addDecimals, .subtractDecimals, .multiplyDecimals, .divideDecimals:
            true
        default: false
        }
    }
}

/// Why a function has no value. A program sees it as ``FetchError``, or as SQLite's message.
enum ScalarFunctionError: Error, Sendable, Hashable {
    /// A pattern is no regular expression.
    case invalidRegularExpression(String, reason: String)
    /// Whether a regular expression matches a text of so many UTF-16 units took more memory or time than it may.
    case unfinishedRegularExpression(String, length: Int)
}

extension ScalarFunctionError: CustomStringConvertible {
    var description: String {
        switch self {
        case .invalidRegularExpression(let pattern, let reason):
            "\"\(pattern)\" is no regular expression: \(reason). Escape its special characters with a backslash."
        case .unfinishedRegularExpression(let pattern, let length):
            "Whether \"\(pattern)\" matches a text of \(length) UTF-16 units could not be found out with the memory and "
                + "time that a match may take. Write repetitions so that they need no step back: [ab]* for (a|b)*."
        }
    }
}
