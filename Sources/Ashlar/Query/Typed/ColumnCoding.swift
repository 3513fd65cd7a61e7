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

    /// The coding of the type that this is the optional of.
    func unwrapped<Wrapped>() -> ColumnCoding<Wrapped> where Value == Wrapped? {
        let encode = encode
        return ColumnCoding<Wrapped> { encode($0) }
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
extension ColumnCoding where Value == Int { public static var int: Self { Self { .integer(Int64($0)) } } }
extension ColumnCoding where Value == Bool { public static var bool: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == Double { public static var double: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == Float { public static var float: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == String { public static var string: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == Date { public static var date: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == Data { public static var data: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == UUID { public static var uuid: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == URL { public static var url: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == Decimal { public static var decimal: Self { Self { SQLiteValue($0) } } }
extension ColumnCoding where Value == ExternalValue? { public static var external: Self { Self { _ in .null } } }

/// A value that may be in a file beside the store, which SQLite does not see: a condition can ask whether it is nil.
public enum ExternalValue: Sendable {}
