import AshlarSQLite

/// An error of a column whose value does not have the type of the model.
public struct RowError: Error, Sendable, Hashable {
    /// The position of the column in the statement's result, from 0.
    public var column: Int32
    /// The expected content of the column, such as `a UUID of 16 bytes`.
    public var expected: String

    /// Creates an error of a column.
    public init(column: Int32, expected: String) {
        self.column = column
        self.expected = expected
    }
}

/// A statement's current row. Generated decoders read it column by column.
///
/// Reading a value throws a ``RowError`` with the column and the expected value if it is NULL and not optional, or if
/// the type cannot hold it.
///
/// Every table is `STRICT`, so that a column holds its declared type or NULL. NULL is checked only for values that read
/// as zero, so that other values need no check. Text and blobs are read through `sqlite3_value`, which is safe because
/// only one thread at a time uses a connection.
@_spi(Generated) @frozen public struct Row {
    @usableFromInline let statement: OpaquePointer
    @usableFromInline let store: UInt32
    /// Whether the row was created in memory, and may refer to objects that were never saved by negative numbers.
    @usableFromInline let namesUnsaved: Bool

    @inlinable @inline(__always)
    init(statement: OpaquePointer, store: UInt32, namesUnsaved: Bool = false) {
        self.statement = statement
        self.store = store
        self.namesUnsaved = namesUnsaved
    }

    /// The identifier of the row, which every fetch of objects selects first.
    @inline(__always) var rowID: Int64 { sqlite3_column_int64(statement, 0) }

    /// The version of the row, which every fetch of objects selects second.
    @inline(__always) var version: Int64 { sqlite3_column_int64(statement, 1) }
}
