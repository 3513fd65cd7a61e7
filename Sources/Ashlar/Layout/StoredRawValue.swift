import AshlarSQLite
public import Foundation

/// A type that the raw values of a model's enumerations can have.
public protocol StoredRawValue {
    /// Reads the value of a column.
    static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Self

    /// Binds the value to a parameter.
    func _ashlarBind(to statement: Statement, _ position: Int32)

    /// The value as SQLite has it.
    var _ashlarSQLiteValue: SQLiteValue { get }
}

extension Bool: StoredRawValue {
    public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Bool { try row.bool(column) }
    public func _ashlarBind(to statement: Statement, _ position: Int32) { statement.bind(self, position) }
    public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension Int16: StoredRawValue {
    public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Int16 { try row.integer(column) }
    public func _ashlarBind(to statement: Statement, _ position: Int32) { statement.bind(self, position) }
    public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension Int32: StoredRawValue {
    public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Int32 { try row.integer(column) }
    public func _ashlarBind(to statement: Statement, _ position: Int32) { statement.bind(self, position) }
    public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension Int64: StoredRawValue {
    public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Int64 { try row.int64(column) }
    public func _ashlarBind(to statement: Statement, _ position: Int32) { statement.bind(self, position) }
    public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension Double: StoredRawValue {
    public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Double { try row.double(column) }
    public func _ashlarBind(to statement: Statement, _ position: Int32) {
        statement.bindNumber(self, position)
    }
    public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension Float: StoredRawValue {
    public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Float { try row.float(column) }
    public func _ashlarBind(to statement: Statement, _ position: Int32) {
        statement.bindNumber(Double(self), position)
    }
    public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension Date: StoredRawValue {
    public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Date { try row.date(column) }
    public func _ashlarBind(to statement: Statement, _ position: Int32) {
        statement.bindNumber(timeIntervalSinceReferenceDate, position)
    }
    public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension String: StoredRawValue {
    public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> String { try row.string(column) }
    public func _ashlarBind(to statement: Statement, _ position: Int32) { statement.bind(self, position) }
    public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension Data: StoredRawValue {
    public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Data { try row.data(column) }
    public func _ashlarBind(to statement: Statement, _ position: Int32) { statement.bind(self, position) }
    public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension UUID: StoredRawValue {
    public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> UUID { try row.uuid(column) }
    public func _ashlarBind(to statement: Statement, _ position: Int32) { statement.bind(self, position) }
    public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension URL: StoredRawValue {
    public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> URL { try row.url(column) }
    public func _ashlarBind(to statement: Statement, _ position: Int32) { statement.bind(self, position) }
    public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension Decimal: StoredRawValue {
    public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Decimal {
        try row.decimal(column)
    }
    public func _ashlarBind(to statement: Statement, _ position: Int32) { statement.bindRequired(self, position) }
    public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}
