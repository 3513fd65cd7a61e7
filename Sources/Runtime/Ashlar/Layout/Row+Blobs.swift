import AshlarSQLite
public import SystemFoundation

/// Functions that read columns with blobs.
@_spi(Generated) extension Row {
    /// Returns the blob in a column, or the data of the file that it refers to.
    @inlinable @inline(__always)
    public func data(_ column: Int32) throws(RowError) -> Data {
        guard let value = try optionalData(column) else { throw RowError(column: column, expected: "a blob") }
        return value
    }

    /// Returns the blob in a column, or the data of the file that it refers to; nil if the column is NULL.
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

    /// Returns the UUID in a column, which is stored as a blob of 16 bytes.
    @inlinable @inline(__always)
    public func uuid(_ column: Int32) throws(RowError) -> UUID {
        guard let value = try optionalUUID(column) else {
            throw RowError(column: column, expected: "a UUID of 16 bytes")
        }
        return value
    }

    /// Returns the UUID in a column; nil if the column is NULL.
    @inlinable @inline(__always)
    public func optionalUUID(_ column: Int32) throws(RowError) -> UUID? {
        let value = sqlite3_column_value(statement, column)
        guard let bytes = sqlite3_value_blob(value), sqlite3_value_bytes(value) == 16 else {
            if isNull(column) { return nil }
            throw RowError(column: column, expected: "a UUID of 16 bytes")
        }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}

extension Row {
    /// Returns the bytes of the blob in a column, valid until the next step of the statement; nil if it is NULL or
    /// empty.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer? {
        let value = sqlite3_column_value(statement, column)
        guard let start = sqlite3_value_blob(value) else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    /// Returns the data that a tagged blob represents.
    @usableFromInline
    func taggedData(_ column: Int32, _ bytes: UnsafeRawPointer, _ count: Int) throws(RowError) -> Data {
        let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
        if bytes.starts(with: TaggedBlob.inlineTag) { return Data(bytes.dropFirst(TaggedBlob.inlineTag.count)) }
        if let hash = TaggedBlob.loggedHash(bytes) { return try loggedData(column, hash) }
        guard let reference = TaggedBlob.reference(bytes) else { return Data(bytes) }
        let name = reference.name
        guard let folder = ExternalDataFolder(ofStatement: statement, file: name) else {
            throw RowError(column: column, expected: "the data of the file \(name), as a store in memory has no files")
        }
        do {
            return try folder.data(of: reference)
        } catch {
            throw RowError(column: column, expected: "the data of the file \(folder.file(name).path): \(error)")
        }
    }
    /// Returns a value of the followed log, which is read from there unless it is cached.
    private func loggedData(_ column: Int32, _ hash: String) throws(RowError) -> Data {
        do {
            return try LoggedValues.content(hash, of: statement)
        } catch {
            throw RowError(column: column, expected: "the value \(hash) of the log: \(error)")
        }
    }
}
