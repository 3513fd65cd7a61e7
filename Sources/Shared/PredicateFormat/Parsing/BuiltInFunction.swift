/// A function of the language, with its selector, called as `name:with:(first, second)`.
public enum BuiltInFunction: String, Sendable, Hashable, CaseIterable {
    case sum = "sum:"
    case count = "count:"
    case min = "min:"
    case max = "max:"
    case average = "average:"
    case median = "median:"
    case mode = "mode:"
    case standardDeviation = "stddev:"

    case add = "add:to:"
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    case divide = "divide:by:"
    case modulus = "modulus:by:"
    case power = "raise:toPower:"
    case squareRoot = "sqrt:"
    case logarithm = "log:"
    case naturalLogarithm = "ln:"
    case exponential = "exp:"
    case floor = "floor:"
    case ceiling = "ceiling:"
    case absoluteValue = "abs:"
    case truncate = "trunc:"
    case random = "random"
    case randomBelow = "random:"

    case bitwiseAnd = "bitwiseAnd:with:"
    case bitwiseOr = "bitwiseOr:with:"
    case bitwiseXor = "bitwiseXor:with:"
    case leftShift = "leftshift:by:"
    case rightShift = "rightshift:by:"
    case onesComplement = "onesComplement:"

    case uppercase = "uppercase:"
    case lowercase = "lowercase:"
    case canonical = "canonical:"
    case length = "length:"

    case now = "now"
    case noIndex = "noindex:"
    case indexedBy = "indexed:by:"
    case distance = "distance:to:"

    /// Whether the function makes one value of as many as it is given.
    public var isAggregate: Bool {
        switch self {
        case .sum, .count, .min, .max, .average, .median, .mode, .standardDeviation: true
        default: false
        }
    }

    /// Whether the function computes with two numbers as an operator does, so that both get the type of the result.
    var isArithmetic: Bool {
        switch self {
        case .add, .subtract, .multiply, .divide, .modulus: true
        default: false
        }
    }

    /// A way to get the value of all objects of an entity, which no condition can compare with; for hints.
    public var wayForAllObjects: String {
        switch self {
        case .max: "fetch in descending order of the attribute with a limit of 1"
        case .min: "fetch in ascending order of the attribute with a limit of 1"
        default: "fetch the value first, and give it as an argument"
        }
    }

    /// The number of arguments that the function takes.
    public var argumentCounts: ClosedRange<Int> {
        if isAggregate { return 1...Int.max }
        let count = rawValue.utf8.count { $0 == UInt8(ascii: ":") }
        return count...count
    }

    /// The pattern of a call of the function, for hints.
    var callPattern: String {
        let placeholders = ["a", "b"].prefix(argumentCounts.lowerBound)
        return "\(rawValue)(\(placeholders.joined(separator: ", ")))"
    }
}
