/// A literal.
public enum Constant: Sendable, Hashable {
    case integer(Int64)
    /// A number that is not a 64-bit integer, as written (`1.50`, `6e23`), so that a decimal attribute gets every
    /// digit.
    ///
    /// `Double(_:)` can read it, and the result is finite.
    case decimal(String)
    case string(String)
    /// `TRUE`, `YES`, `FALSE` or `NO`, which are the numbers 1 and 0.
    case boolean(Bool)
    /// `nil` or `NULL`.
    case null
}

/// A placeholder for a value that comes with the format string.
public struct FormatArgument: Sendable, Hashable {
    /// The type that the placeholder gives the value.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// `%@`: any value.
        case object
        /// `%d`, `%i`, `%ld`, `%c` and their like.
        case signedInteger
        /// `%u`, `%x`, `%o` and their like.
        case unsignedInteger
        /// `%f`, `%g`, `%lf` and their like.
        case real
    }

    /// The position among the arguments, from 0.
    public var index: Int
    /// The type that the placeholder gives the value.
    public var kind: Kind

    /// Makes a placeholder.
    public init(index: Int, kind: Kind) {
        self.index = index
        self.kind = kind
    }
}

/// An operator within a key path that makes one value of many.
public enum CollectionOperator: String, Sendable, Hashable, CaseIterable {
    case count, sum, avg, min, max
    case unionOfObjects, distinctUnionOfObjects
    case unionOfArrays, distinctUnionOfArrays
    case unionOfSets, distinctUnionOfSets
}

/// A binary operator on numbers.
public enum ArithmeticOperator: String, Sendable, Hashable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case power = "**"
}

/// A binary operator on collections.
public enum SetOperator: String, Sendable, Hashable, CaseIterable {
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"
}
