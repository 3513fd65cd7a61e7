import AshlarSQLite
public import SystemFoundation

/// A type of the raw values of enumerations in a model.
public protocol StoredRawValue {
    /// Reads the value of a column.
    @_spi(Generated) static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Self

    /// Binds the value to a parameter.
    @_spi(Generated) func _ashlarBind(to statement: Statement, _ position: Int32)

    /// The value in the form in which SQLite stores it.
    @_spi(Generated) var _ashlarSQLiteValue: SQLiteValue { get }
}

extension Bool: StoredRawValue {
    @_spi(Generated) public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Bool {
        try row.bool(column)
    }
    @_spi(Generated) public func _ashlarBind(to statement: Statement, _ position: Int32) {
        statement.bind(self, position)
    }
    @_spi(Generated) public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension Int16: StoredRawValue {
    @_spi(Generated) public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Int16 {
        try row.integer(column)
    }
    @_spi(Generated) public func _ashlarBind(to statement: Statement, _ position: Int32) {
        statement.bind(self, position)
    }
    @_spi(Generated) public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension Int32: StoredRawValue {
    @_spi(Generated) public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Int32 {
        try row.integer(column)
    }
    @_spi(Generated) public func _ashlarBind(to statement: Statement, _ position: Int32) {
        statement.bind(self, position)
    }
    @_spi(Generated) public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension Int64: StoredRawValue {
    @_spi(Generated) public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Int64 {
        try row.int64(column)
    }
    @_spi(Generated) public func _ashlarBind(to statement: Statement, _ position: Int32) {
        statement.bind(self, position)
    }
    @_spi(Generated) public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension Double: StoredRawValue {
    @_spi(Generated) public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Double {
        try row.double(column)
    }
    @_spi(Generated) public func _ashlarBind(to statement: Statement, _ position: Int32) {
        statement.bindNumber(self, position)
    }
    @_spi(Generated) public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension Float: StoredRawValue {
    @_spi(Generated) public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Float {
        try row.float(column)
    }
    @_spi(Generated) public func _ashlarBind(to statement: Statement, _ position: Int32) {
        statement.bindNumber(Double(self), position)
    }
    @_spi(Generated) public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension Date: StoredRawValue {
    @_spi(Generated) public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Date {
        try row.date(column)
    }
    @_spi(Generated) public func _ashlarBind(to statement: Statement, _ position: Int32) {
        statement.bindNumber(timeIntervalSinceReferenceDate, position)
    }
    @_spi(Generated) public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension String: StoredRawValue {
    @_spi(Generated) public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> String {
        try row.string(column)
    }
    @_spi(Generated) public func _ashlarBind(to statement: Statement, _ position: Int32) {
        statement.bind(self, position)
    }
    @_spi(Generated) public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension Data: StoredRawValue {
    @_spi(Generated) public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Data {
        try row.data(column)
    }
    @_spi(Generated) public func _ashlarBind(to statement: Statement, _ position: Int32) {
        statement.bind(self, position)
    }
    @_spi(Generated) public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension UUID: StoredRawValue {
    @_spi(Generated) public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> UUID {
        try row.uuid(column)
    }
    @_spi(Generated) public func _ashlarBind(to statement: Statement, _ position: Int32) {
        statement.bind(self, position)
    }
    @_spi(Generated) public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension URL: StoredRawValue {
    @_spi(Generated) public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> URL {
        try row.url(column)
    }
    @_spi(Generated) public func _ashlarBind(to statement: Statement, _ position: Int32) {
        statement.bind(self, position)
    }
    @_spi(Generated) public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}

extension Decimal: StoredRawValue {
    @_spi(Generated) public static func _ashlarDecode(_ row: Row, _ column: Int32) throws(RowError) -> Decimal {
        try row.decimal(column)
    }
    @_spi(Generated) public func _ashlarBind(to statement: Statement, _ position: Int32) {
        statement.bindRequired(self, position)
    }
    @_spi(Generated) public var _ashlarSQLiteValue: SQLiteValue { SQLiteValue(self) }
}
