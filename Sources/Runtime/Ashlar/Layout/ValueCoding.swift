import AshlarSQLite

/// The reading, binding and comparing of values whose type is not one of the store's own.
///
/// The conforming types have no instances. The layout of an entity refers to the types, which need no reference
/// counting.
protocol ValueCoding: SendableMetatype {
    associatedtype Value: Equatable

    static func decode(_ row: Row, _ column: Int32) throws(RowError) -> Value

    static func bind(_ value: Value, to statement: Statement, _ position: Int32)

    /// Returns the value in the form in which SQLite stores it; NULL if conditions cannot use it.
    static func sqliteValue(_ value: Value) -> SQLiteValue

    static func isNil(_ value: Value) -> Bool

    /// The value that represents NULL; nil if NULL is not a value of the type.
    static var absent: Value? { get }

    /// The raw value of the case that replaces raw values without a case; nil if there is none.
    static var unknownRawValue: SQLiteValue? { get }

    /// Returns whether a column holds a raw value without a case, which is read as another one.
    static func isUnknown(_ row: Row, _ column: Int32) -> Bool
}

extension ValueCoding {
    static func sqliteValue(_ value: Value) -> SQLiteValue { .null }

    static func isNil(_ value: Value) -> Bool { false }

    static var absent: Value? { nil }

    static var unknownRawValue: SQLiteValue? { nil }

    static func isUnknown(_ row: Row, _ column: Int32) -> Bool { false }
}

/// A coding whose column holds the raw value.
enum RawValueCoding<Value: RawRepresentable & Equatable & SendableMetatype>: ValueCoding
where Value.RawValue: StoredRawValue {
    static func decode(_ row: Row, _ column: Int32) throws(RowError) -> Value {
        try row.rawRepresentable(column, try Value.RawValue._ashlarDecode(row, column))
    }

    static func bind(_ value: Value, to statement: Statement, _ position: Int32) {
        value.rawValue._ashlarBind(to: statement, position)
    }

    static func sqliteValue(_ value: Value) -> SQLiteValue { value.rawValue._ashlarSQLiteValue }
}

/// The value that a model's type uses for a raw value without a case; generated code provides it.
@_spi(Generated) public protocol UnknownRawValue: SendableMetatype {
    associatedtype Value: RawRepresentable & Equatable & SendableMetatype where Value.RawValue: StoredRawValue

    /// The case.
    static var _ashlarUnknown: Value { get }
}

/// A coding whose column holds the raw value. A raw value without a case is read as a certain case.
enum UnknownRawValueCoding<Unknown: UnknownRawValue>: ValueCoding {
    typealias Value = Unknown.Value

    static func decode(_ row: Row, _ column: Int32) throws(RowError) -> Value {
        Value(rawValue: try Value.RawValue._ashlarDecode(row, column)) ?? Unknown._ashlarUnknown
    }

    static func bind(_ value: Value, to statement: Statement, _ position: Int32) {
        value.rawValue._ashlarBind(to: statement, position)
    }

    static func sqliteValue(_ value: Value) -> SQLiteValue { value.rawValue._ashlarSQLiteValue }

    static var unknownRawValue: SQLiteValue? { sqliteValue(Unknown._ashlarUnknown) }

    static func isUnknown(_ row: Row, _ column: Int32) -> Bool {
        guard !row.isNull(column), let rawValue = try? Value.RawValue._ashlarDecode(row, column) else { return false }
        return Value(rawValue: rawValue) == nil
    }
}

/// A coding whose column holds JSON in a blob.
enum JSONCoding<Value: Codable & Equatable & SendableMetatype>: ValueCoding {
    static func decode(_ row: Row, _ column: Int32) throws(RowError) -> Value { try row.coded(column) }

    static func bind(_ value: Value, to statement: Statement, _ position: Int32) {
        statement.bindCoded(value, position)
    }
}

/// A coding whose column holds JSON in text.
enum JSONTextCoding<Value: Codable & Equatable & SendableMetatype>: ValueCoding {
    static func decode(_ row: Row, _ column: Int32) throws(RowError) -> Value { try row.coded(column) }

    static func bind(_ value: Value, to statement: Statement, _ position: Int32) {
        statement.bindCodedText(value, position)
    }
}

/// A coding whose column holds the result of a transformer.
enum TransformedCoding<Transformer: AttributeTransformer & SendableMetatype>: ValueCoding {
    static func decode(_ row: Row, _ column: Int32) throws(RowError) -> Transformer.Value {
        try row.transformed(column, by: Transformer.self)
    }

    static func bind(_ value: Transformer.Value, to statement: Statement, _ position: Int32) {
        statement.bind(value, position, by: Transformer.self)
    }
}

/// A coding with NULL for nil.
enum OptionalCoding<Coding: ValueCoding>: ValueCoding {
    static func decode(_ row: Row, _ column: Int32) throws(RowError) -> Coding.Value? {
        row.isNull(column) ? nil : try Coding.decode(row, column)
    }

    static func bind(_ value: Coding.Value?, to statement: Statement, _ position: Int32) {
        if let value { Coding.bind(value, to: statement, position) } else { statement.bindNull(position) }
    }

    static func sqliteValue(_ value: Coding.Value?) -> SQLiteValue { value.map { Coding.sqliteValue($0) } ?? .null }

    static func isNil(_ value: Coding.Value?) -> Bool { value == nil }

    static var absent: Coding.Value?? { .some(nil) }

    static var unknownRawValue: SQLiteValue? { Coding.unknownRawValue }

    static func isUnknown(_ row: Row, _ column: Int32) -> Bool { Coding.isUnknown(row, column) }
}

/// A coding of a value that several consecutive columns hold. Its columns are bound, not the value.
enum CompositeCoding<Value: CompositeValue>: ValueCoding {
    static func decode(_ row: Row, _ column: Int32) throws(RowError) -> Value { try Value._ashlarDecode(row, column) }

    static func bind(_ value: Value, to statement: Statement, _ position: Int32) {}
}

/// A coding of an optional value with a column before the others that stores whether it is nil.
enum OptionalCompositeCoding<Value: CompositeValue>: ValueCoding {
    static func decode(_ row: Row, _ column: Int32) throws(RowError) -> Value? {
        row.isNull(column) ? nil : try Value._ashlarDecode(row, column + 1)
    }

    static func bind(_ value: Value?, to statement: Statement, _ position: Int32) {}

    static func isNil(_ value: Value?) -> Bool { value == nil }

    static var absent: Value?? { .some(nil) }
}
