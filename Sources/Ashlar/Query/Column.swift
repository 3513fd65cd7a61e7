public import Foundation

/// How a value of a Swift type is stored in a column.
public struct ColumnCoding<Value>: Sendable {
    @usableFromInline let encode: @Sendable (Value) -> SQLiteValue

    /// Makes a coding of a conversion.
    @inlinable
    public init(_ encode: @escaping @Sendable (Value) -> SQLiteValue) {
        self.encode = encode
    }

    /// The coding of the optional type; nil is NULL.
    public var optional: ColumnCoding<Value?> {
        let encode = encode
        return ColumnCoding<Value?> { $0.map(encode) ?? .null }
    }
}

extension ColumnCoding where Value: RawRepresentable & SendableMetatype, Value.RawValue: Sendable {
    /// The coding of a type by its raw values.
    public static func rawValue(_ coding: ColumnCoding<Value.RawValue>) -> ColumnCoding<Value> {
        let encode = coding.encode
        return ColumnCoding<Value> { encode($0.rawValue) }
    }
}

extension ColumnCoding where Value == Int16 { public static var int16: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == Int32 { public static var int32: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == Int64 { public static var int64: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == Bool { public static var bool: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == Double { public static var double: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == Float { public static var float: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == String { public static var string: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == Date { public static var date: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == Data { public static var data: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == UUID { public static var uuid: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == URL { public static var url: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == Decimal { public static var decimal: Self { Self { SQLiteValue($0) } } }

/// An attribute of an entity, for use in conditions and orders: `$0.likes > 10`.
public struct Column<Value>: Sendable {
    let reference: ColumnReference
    let coding: ColumnCoding<Value>

    /// Makes a column at the end of a path; generated code does.
    public init(
        _ owner: Columns<some ManagedObject>, _ column: Int, _ name: String, _ coding: ColumnCoding<Value>,
        isDecimal: Bool = false
    ) {
        reference = ColumnReference(
            table: owner._ashlarPath.table, path: owner._ashlarPath.steps, column: column, name: name,
            isDecimal: isDecimal)
        self.coding = coding
    }

    init(_ reference: ColumnReference, _ coding: ColumnCoding<Value>) {
        self.reference = reference
        self.coding = coding
    }

    var expression: SQLExpression { .column(reference) }

    func compare(_ comparison: SQLExpression.Comparison, _ value: Value) -> Condition {
        Condition(.comparison(expression, comparison, .value(coding.encode(value))))
    }

    /// Orders by this column, least values first; NULL comes before all others.
    public var ascending: ColumnOrder { ColumnOrder(column: reference, isAscending: true) }

    /// Orders by this column, greatest values first.
    public var descending: ColumnOrder { ColumnOrder(column: reference, isAscending: false) }

    /// Whether the value is one of several.
    public func isIn(_ values: some Sequence<Value>) -> Condition {
        Condition(.isIn(expression, values.map(coding.encode)))
    }
}

/// A condition on the objects of an entity, made with the operators on ``Column``.
public struct Condition: Sendable, Hashable {
    /// The condition as a tree.
    public let expression: SQLExpression

    /// Makes a condition of a tree.
    public init(_ expression: SQLExpression) {
        self.expression = expression
    }

    /// Holds when both hold.
    public static func && (left: Condition, right: Condition) -> Condition {
        Condition(.and([left.expression, right.expression]))
    }

    /// Holds when either holds.
    public static func || (left: Condition, right: Condition) -> Condition {
        Condition(.or([left.expression, right.expression]))
    }

    /// Holds when the condition does not.
    public static prefix func ! (condition: Condition) -> Condition {
        Condition(.not(condition.expression))
    }
}

/// One column to order by.
public struct ColumnOrder: Sendable, Hashable {
    let column: ColumnReference
    let isAscending: Bool
}

extension Column {
    /// Equal; nil equals nil.
    public static func == (column: Column, value: Value) -> Condition { column.compare(.equal, value) }
    /// Not equal; a value is not equal to nil.
    public static func != (column: Column, value: Value) -> Condition { column.compare(.notEqual, value) }
    /// Less; false for nil.
    public static func < (column: Column, value: Value) -> Condition { column.compare(.less, value) }
    /// Less or equal; false for nil.
    public static func <= (column: Column, value: Value) -> Condition { column.compare(.lessOrEqual, value) }
    /// Greater; false for nil.
    public static func > (column: Column, value: Value) -> Condition { column.compare(.greater, value) }
    /// Greater or equal; false for nil.
    public static func >= (column: Column, value: Value) -> Condition { column.compare(.greaterOrEqual, value) }

    /// Equal to another column of the same type.
    public static func == (column: Column, other: Column) -> Condition {
        Condition(.comparison(column.expression, .equal, other.expression))
    }

    /// Whether the value lies in a range, its ends included.
    public func isIn(_ range: ClosedRange<Value>) -> Condition where Value: Comparable {
        compare(.greaterOrEqual, range.lowerBound) && compare(.lessOrEqual, range.upperBound)
    }

    /// Whether the value lies in a range, its upper end excluded.
    public func isIn(_ range: Range<Value>) -> Condition where Value: Comparable {
        compare(.greaterOrEqual, range.lowerBound) && compare(.less, range.upperBound)
    }
}

extension Column where Value == Bool {
    /// The attribute itself as a condition: `Post.where { $0.favorite.isTrue }`.
    public var isTrue: Condition { Condition(expression) }
}

extension Column where Value == String {
    /// Whether the text begins with another, byte by byte. An index on the attribute serves this.
    public func hasPrefix(_ text: String) -> Condition { Condition(.text(expression, .hasPrefix, text)) }
    /// Whether the text ends with another, byte by byte.
    public func hasSuffix(_ text: String) -> Condition { Condition(.text(expression, .hasSuffix, text)) }
    /// Whether the text contains another, byte by byte.
    public func contains(_ text: String) -> Condition { Condition(.text(expression, .contains, text)) }
}

extension Column where Value == String? {
    /// Whether the text begins with another, byte by byte; false for nil. An index on the attribute serves this.
    public func hasPrefix(_ text: String) -> Condition { Condition(.text(expression, .hasPrefix, text)) }
    /// Whether the text ends with another, byte by byte; false for nil.
    public func hasSuffix(_ text: String) -> Condition { Condition(.text(expression, .hasSuffix, text)) }
    /// Whether the text contains another, byte by byte; false for nil.
    public func contains(_ text: String) -> Condition { Condition(.text(expression, .contains, text)) }
}
