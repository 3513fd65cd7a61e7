public import SystemFoundation

/// A type of numbers that can be computed with in conditions and orders; the optional of one too, as nil gives nil.
public protocol ColumnNumber: Sendable {
    /// The type without the optional.
    associatedtype Wrapped: ColumnNumber
    /// The type of a sum.
    associatedtype Sum: ColumnNumber
    /// The type of a mean.
    associatedtype Average: ColumnNumber

    /// How numbers are stored.
    @_spi(Generated) static var columnCoding: ColumnCoding<Self> { get }
}

extension Int: ColumnNumber {
    public typealias Wrapped = Int
    public typealias Sum = Int
    public typealias Average = Double
    @_spi(Generated) public static var columnCoding: ColumnCoding<Int> { .int }
}

extension Int16: ColumnNumber {
    public typealias Wrapped = Int16
    public typealias Sum = Int64
    public typealias Average = Double
    @_spi(Generated) public static var columnCoding: ColumnCoding<Int16> { .int16 }
}

extension Int32: ColumnNumber {
    public typealias Wrapped = Int32
    public typealias Sum = Int64
    public typealias Average = Double
    @_spi(Generated) public static var columnCoding: ColumnCoding<Int32> { .int32 }
}

extension Int64: ColumnNumber {
    public typealias Wrapped = Int64
    public typealias Sum = Int64
    public typealias Average = Double
    @_spi(Generated) public static var columnCoding: ColumnCoding<Int64> { .int64 }
}

extension Double: ColumnNumber {
    public typealias Wrapped = Double
    public typealias Sum = Double
    public typealias Average = Double
    @_spi(Generated) public static var columnCoding: ColumnCoding<Double> { .double }
}

extension Float: ColumnNumber {
    public typealias Wrapped = Float
    public typealias Sum = Double
    public typealias Average = Double
    @_spi(Generated) public static var columnCoding: ColumnCoding<Float> { .float }
}

extension Decimal: ColumnNumber {
    public typealias Wrapped = Decimal
    public typealias Sum = Decimal
    public typealias Average = Decimal
    @_spi(Generated) public static var columnCoding: ColumnCoding<Decimal> { .decimal }
}

extension Optional: ColumnNumber where Wrapped: ColumnNumber {
    public typealias Sum = Wrapped.Sum
    public typealias Average = Wrapped.Average
    @_spi(Generated) public static var columnCoding: ColumnCoding<Self> { Wrapped.columnCoding.optional }
}
