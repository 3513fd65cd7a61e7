/// A function of values. SQLite calls the same code as the evaluation in memory. Its name in SQL is `ashlar_` and the
/// name of the case.
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
    /// The text without the differences that the options ignore. The second argument contains the options.
    case fold
    /// The text in the form of an attribute derived by `canonical:(…)`.
    case canonical
    /// The number of characters as Swift counts them.
    case characterCount
    /// The number of UTF-16 code units, which Foundation calls the length of a string.
    case length
    /// -1, 0 or 1: the order of two texts in the current locale. The third argument contains the options.
    case localizedOrder
    /// -1, 0 or 1: the order of two texts in lists of names and files.
    case localizedStandardOrder
    case hasPrefix, hasSuffix, contains, like, matches
    // Conversions
    case toText, toReal, toInteger, toDecimal
    /// The text of a UUID's bytes.
    case uuidText
    /// The value of an item in a long list that is bound as one parameter.
    case listed
    // Dates
    /// The start of a calendar's day, month or other period. The second argument describes the period.
    case periodStart

    /// The prefix of the names of all functions.
    static let prefix = "ashlar_"

    /// The name of the function in SQL.
    var sqlName: String { Self.prefix + rawValue }

    /// Whether the result is decimal if an argument is.
    var keepsDecimals: Bool {
        switch self {
        case .absolute, .roundedUp, .roundedDown, .roundedTowardZero, .rounded, .roundedToEven, .remainder, .minimum,
            .maximum, .addDecimals, .subtractDecimals, .multiplyDecimals, .divideDecimals:
            true
        default: false
        }
    }
}

/// The error of a function that has no value. A program receives it as ``FetchError``, or as SQLite's message.
enum ScalarFunctionError: Error, Sendable, Hashable {
    /// A pattern is not a regular expression.
    case invalidRegularExpression(String, reason: String)
    /// Matching a regular expression exceeded its limit of memory or time. The length of the text is in UTF-16 units.
    case unfinishedRegularExpression(String, length: Int)
}

extension ScalarFunctionError: CustomStringConvertible {
    var description: String {
        switch self {
        case .invalidRegularExpression(let pattern, let reason):
            "\"\(pattern)\" is not a regular expression: \(reason). Escape its special characters with a backslash."
        case .unfinishedRegularExpression(let pattern, let length):
            "Whether \"\(pattern)\" matches a text of \(length) UTF-16 units could not be found out with the memory and "
                + "time that a match may take. Write repetitions so that they need no step back: [ab]* for (a|b)*."
        }
    }
}
