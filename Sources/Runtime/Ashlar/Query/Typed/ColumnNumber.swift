public import SystemFoundation

/// A number or an optional number, as the value of a column; the result with nil is nil.
///
/// Columns of such values have arithmetic operators and aggregates.
public protocol ColumnNumber: Sendable {
    /// The type of a sum.
    associatedtype _AshlarSum: ColumnNumber
    /// The type of a mean.
    associatedtype _AshlarAverage: ColumnNumber

    /// The coding of the numbers in columns.
    @_spi(Generated) static var columnCoding: ColumnCoding<Self> { get }
}

extension Int: ColumnNumber {
    public typealias _AshlarSum = Int
    public typealias _AshlarAverage = Double
    @_spi(Generated) public static var columnCoding: ColumnCoding<Int> { .int }
}

extension Int16: ColumnNumber {
    public typealias _AshlarSum = Int64
    public typealias _AshlarAverage = Double
    @_spi(Generated) public static var columnCoding: ColumnCoding<Int16> { .int16 }
}

extension Int32: ColumnNumber {
    public typealias _AshlarSum = Int64
    public typealias _AshlarAverage = Double
    @_spi(Generated) public static var columnCoding: ColumnCoding<Int32> { .int32 }
}

extension Int64: ColumnNumber {
    public typealias _AshlarSum = Int64
    public typealias _AshlarAverage = Double
    @_spi(Generated) public static var columnCoding: ColumnCoding<Int64> { .int64 }
}

extension Double: ColumnNumber {
    public typealias _AshlarSum = Double
    public typealias _AshlarAverage = Double
    @_spi(Generated) public static var columnCoding: ColumnCoding<Double> { .double }
}

extension Float: ColumnNumber {
    public typealias _AshlarSum = Double
    public typealias _AshlarAverage = Double
    @_spi(Generated) public static var columnCoding: ColumnCoding<Float> { .float }
}

extension Decimal: ColumnNumber {
    public typealias _AshlarSum = Decimal
    public typealias _AshlarAverage = Decimal
    @_spi(Generated) public static var columnCoding: ColumnCoding<Decimal> { .decimal }
}

extension Optional: ColumnNumber where Wrapped: ColumnNumber {
    public typealias _AshlarSum = Wrapped._AshlarSum
    public typealias _AshlarAverage = Wrapped._AshlarAverage
    @_spi(Generated) public static var columnCoding: ColumnCoding<Self> { Wrapped.columnCoding.optional }
}
