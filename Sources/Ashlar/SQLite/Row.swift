public import Foundation

#if canImport(SQLite3)
    public import SQLite3
#else
    public import CSQLite
#endif

/// A column of a row that holds no value of the type that the model gives it.
public struct RowError: Error, Sendable, Hashable {
    /// The position of the column in the statement's result, from 0.
    public var column: Int32
    /// What the column should hold, such as `a UUID of 16 bytes`.
    public var expected: String

    /// Makes an error of a column.
    public init(column: Int32, expected: String) {
        self.column = column
        self.expected = expected
    }
}

/// The row that a statement stands on; generated decoders read it column by column.
///
/// What reads a value throws a ``RowError`` with the column and what was expected: of NULL where the value is not optional,
/// and of what the type cannot hold.
///
/// Every table is `STRICT`, so that a column holds its declared type or NULL. NULL is asked for only where a value
/// reads as zero, which keeps the check free for all other rows. Text and blobs are read through `sqlite3_value`,
/// which is safe because a connection is used by one thread at a time.
@frozen public struct Row {
    @usableFromInline let statement: OpaquePointer
    @usableFromInline let store: UInt32

    @inlinable @inline(__always)
    init(statement: OpaquePointer, store: UInt32) {
        self.statement = statement
        self.store = store
    }

    /// Whether a column is NULL.
    @inlinable @inline(__always)
    public func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    // MARK: Integers

    /// The integer in a column.
    @inlinable @inline(__always)
    public func int64(_ column: Int32) throws(RowError) -> Int64 {
        let value = sqlite3_column_int64(statement, column)
        if value == 0, isNull(column) { throw RowError(column: column, expected: "an integer") }
        return value
    }

    /// The integer in a column; nil when it is NULL.
    @inlinable @inline(__always)
    public func optionalInt64(_ column: Int32) -> Int64? {
        // NULL is likely, and a value tells of it at less cost than a column.
        let value = sqlite3_column_value(statement, column)
        let integer = sqlite3_value_int64(value)
        return integer == 0 && sqlite3_value_type(value) == SQLITE_NULL ? nil : integer
    }

    /// The integer in a column, when it fits the type.
    @inlinable @inline(__always)
    public func integer<Value: FixedWidthInteger>(_ column: Int32) throws(RowError) -> Value {
        guard let value = Value(exactly: try int64(column)) else {
            throw RowError(column: column, expected: "an integer from \(Value.min) to \(Value.max)")
        }
        return value
    }

    /// The integer in a column, when it fits the type; nil when it is NULL.
    @inlinable @inline(__always)
    public func optionalInteger<Value: FixedWidthInteger>(_ column: Int32) throws(RowError) -> Value? {
        guard let number = optionalInt64(column) else { return nil }
        guard let value = Value(exactly: number) else {
            throw RowError(column: column, expected: "an integer from \(Value.min) to \(Value.max)")
        }
        return value
    }

    /// The boolean in a column: any number but 0 is true.
    @inlinable @inline(__always)
    public func bool(_ column: Int32) throws(RowError) -> Bool {
        guard let integer = optionalInt64(column) else { throw RowError(column: column, expected: "an integer") }
        return integer != 0
    }

    /// The boolean in a column; nil when it is NULL.
    @inlinable @inline(__always)
    public func optionalBool(_ column: Int32) -> Bool? { optionalInt64(column).map { $0 != 0 } }

    // MARK: Floating point and dates

    /// The number in a column.
    @inlinable @inline(__always)
    public func double(_ column: Int32) throws(RowError) -> Double {
        let value = sqlite3_column_double(statement, column)
        if value == 0, isNull(column) { throw RowError(column: column, expected: "a number") }
        return value
    }

    /// The number in a column; nil when it is NULL.
    @inlinable @inline(__always)
    public func optionalDouble(_ column: Int32) -> Double? {
        let value = sqlite3_column_value(statement, column)
        let number = sqlite3_value_double(value)
        return number == 0 && sqlite3_value_type(value) == SQLITE_NULL ? nil : number
    }

    /// The number in a column, in single precision.
    @inlinable @inline(__always)
    public func float(_ column: Int32) throws(RowError) -> Float { Float(try double(column)) }

    /// The number in a column, in single precision; nil when it is NULL.
    @inlinable @inline(__always)
    public func optionalFloat(_ column: Int32) -> Float? { optionalDouble(column).map { Float($0) } }

    /// The date in a column, stored as seconds since 2001-01-01 UTC.
    @inlinable @inline(__always)
    public func date(_ column: Int32) throws(RowError) -> Date {
        Date(timeIntervalSinceReferenceDate: try double(column))
    }

    /// The date in a column; nil when it is NULL.
    @inlinable @inline(__always)
    public func optionalDate(_ column: Int32) -> Date? {
        optionalDouble(column).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    // MARK: Text

    /// The text in a column.
    @inlinable @inline(__always)
    public func string(_ column: Int32) throws(RowError) -> String {
        guard let value = optionalString(column) else { throw RowError(column: column, expected: "text") }
        return value
    }

    /// The text in a column; nil when it is NULL.
    @inlinable @inline(__always)
    public func optionalString(_ column: Int32) -> String? {
        let value = sqlite3_column_value(statement, column)
        guard let bytes = sqlite3_value_text(value) else { return nil }
        let count = Int(sqlite3_value_bytes(value))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    // MARK: Blobs

    /// The blob in a column, or what it refers to in a file.
    @inlinable @inline(__always)
    public func data(_ column: Int32) throws(RowError) -> Data {
        guard let value = try optionalData(column) else { throw RowError(column: column, expected: "a blob") }
        return value
    }

    /// The blob in a column, or what it refers to in a file; nil when it is NULL.
    @inlinable @inline(__always)
    public func optionalData(_ column: Int32) throws(RowError) -> Data? {
        let value = sqlite3_column_value(statement, column)
        guard let bytes = sqlite3_value_blob(value) else {
            // An empty blob has no address either.
            return sqlite3_value_type(value) == SQLITE_NULL ? nil : Data()
        }
        let count = Int(sqlite3_value_bytes(value))
        if TaggedBlob.isTagged(bytes, count) { return try taggedData(column, bytes, count) }
        return Data(bytes: bytes, count: count)
    }

    /// The UUID in a column, stored as a blob of 16 bytes.
    @inlinable @inline(__always)
    public func uuid(_ column: Int32) throws(RowError) -> UUID {
        guard let value = try optionalUUID(column) else {
            throw RowError(column: column, expected: "a UUID of 16 bytes")
        }
        return value
    }

    /// The UUID in a column; nil when it is NULL.
    @inlinable @inline(__always)
    public func optionalUUID(_ column: Int32) throws(RowError) -> UUID? {
        let value = sqlite3_column_value(statement, column)
        guard let bytes = sqlite3_value_blob(value), sqlite3_value_bytes(value) == 16 else {
            if isNull(column) { return nil }
            throw RowError(column: column, expected: "a UUID of 16 bytes")
        }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    // MARK: Relationships

    /// The identifier that a foreign key column holds; nil when it is NULL.
    @inlinable @inline(__always)
    public func identifier(_ column: Int32, _ entity: EntityNumber) -> PersistentIdentifier? {
        let value = sqlite3_column_int64(statement, column)
        return value == 0 && isNull(column) ? nil : PersistentIdentifier(rowID: value, store: store, entity: entity)
    }
}
