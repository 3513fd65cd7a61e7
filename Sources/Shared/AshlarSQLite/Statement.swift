public import SystemFoundation

/// A prepared statement, kept by its connection and used by one thread at a time.
///
/// Texts and blobs are copied into a buffer of the statement and bound without another copy. Resetting the statement
/// empties the buffer, which never moves while a value in it is bound.
///
/// Stored properties that other modules use often are behind functions that are inlined there. Only in this module does
/// the compiler skip the check of an access for exclusivity.
public final class Statement {
    @usableFromInline package let handle: OpaquePointer
    @usableFromInline package let database: OpaquePointer
    package let sql: String
    /// The counter of runs.
    @usableFromInline let runs: RunCounter
    /// The recompilations that were counted.
    @exclusivity(unchecked) private var recompilations: Int32 = 0
    /// The offset of all bindings, so that generated code can fill the second row of a `VALUES` list.
    @inlinable package var base: Int32 {
        get { baseStorage }
        set { baseStorage = newValue }
    }
    @exclusivity(unchecked) @usableFromInline var baseStorage: Int32 = 0
    /// The number of the store whose identifiers a batch insertion binds; 0 for none. It is not part of the attachment,
    /// because each identifier of each row reads it.
    @inlinable package var store: UInt32 {
        get { storeStorage }
        set { storeStorage = newValue }
    }
    @exclusivity(unchecked) @usableFromInline var storeStorage: UInt32 = 0
    /// The state of another module that binds values; usually none.
    @inlinable package var attachment: AnyObject? {
        get { attachmentStorage }
        set { attachmentStorage = newValue }
    }
    @exclusivity(unchecked) @usableFromInline var attachmentStorage: AnyObject?
    /// The first binding of a value that could not be converted, or that SQLite refused.
    @inlinable package var bindingError: (any Error)? {
        get { bindingErrorStorage }
        set { bindingErrorStorage = newValue }
    }
    @exclusivity(unchecked) @usableFromInline var bindingErrorStorage: (any Error)?
    /// SQLite's code for the first refused binding; usually 0.
    @inlinable package var bindingCode: Int32 {
        get { bindingCodeStorage }
        set { bindingCodeStorage = newValue }
    }
    @exclusivity(unchecked) @usableFromInline var bindingCodeStorage: Int32 = 0

    @exclusivity(unchecked) @usableFromInline package var chunk: UnsafeMutableRawPointer
    @exclusivity(unchecked) @usableFromInline package var capacity: Int
    @exclusivity(unchecked) @usableFromInline package var used = 0
    @exclusivity(unchecked) @usableFromInline var fullChunks: [UnsafeMutableRawPointer] = []

    package init(
        _ sql: String, database: OpaquePointer, functions: FunctionLibrary? = nil, runs: RunCounter = RunCounter()
    ) throws(SQLiteError) {
        self.runs = runs
        var handle: OpaquePointer?
        var hasMore = false
        var text = sql
        let code = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                // An empty text may have no address.
                guard let start = characters.baseAddress else { return SQLITE_MISUSE }
                var tail: UnsafePointer<CChar>?
                let code = FunctionLibrary.prepare(
                    start, length: Int32(clamping: characters.count), on: database,
                    flags: UInt32(SQLITE_PREPARE_PERSISTENT), functions, &handle, &tail)
                // The statement is usually the whole text.
                if let tail, tail - start < characters.count {
                    hasMore = !String(
                        decoding: UnsafeBufferPointer(
                            start: tail, count: characters.count - (tail - start)
                        ).map(UInt8.init(bitPattern:)),
                        as: UTF8.self
                    ).withCString(StatementTail.isEmpty)
                }
                return code
            }
        }
        guard code == SQLITE_OK, let handle else {
            throw SQLiteError(code == SQLITE_OK ? SQLITE_MISUSE : code, connection: database, sql: sql)
        }
        if hasMore {
            sqlite3_finalize(handle)
            throw SQLiteError(refused: sql, StatementTail.refusal)
        }
        self.handle = handle
        self.database = database
        self.sql = sql
        capacity = 4096
        chunk = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        sqlite3_finalize(handle)
        chunk.deallocate()
        for full in fullChunks { full.deallocate() }
    }

    /// Whether the statement is on a row and was not reset since.
    @inlinable package var isRunning: Bool { sqlite3_stmt_busy(handle) != 0 }

    /// Advances to the next row; false if there is none.
    @inlinable
    package func step() throws(SQLiteError) -> Bool {
        if bindingCode != 0 { throw failure(bindingCode) }
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw failure(code)
    }

    /// Runs a statement without rows, and makes it ready to run again.
    package func run() throws(SQLiteError) {
        defer { reset() }
        while try step() {}
    }

    @usableFromInline
    package func failure(_ code: Int32) -> SQLiteError {
        // The connection has only its last error, which may not be that of a binding.
        if code == bindingCode, let error = bindingError as? BindingFailure { return error.error }
        return SQLiteError(code, connection: database, sql: sql)
    }

    /// Ends the run and forgets the bound values.
    @inlinable
    package func reset() {
        runs.count &+= 1
        if runs.isWatched { countRecompilations() }
        rewind()
        base = 0
        bindingError = nil
        bindingCode = 0
        // A single large blob must not stay for the life of the connection.
        if capacity > 1 << 20 { forgetLargeChunk() }
    }

    @usableFromInline
    func forgetLargeChunk() {
        // Clearing and resetting report no error that the run did not report.
        sqlite3_clear_bindings(handle)
        chunk.deallocate()
        capacity = 4096
        chunk = .allocate(byteCount: capacity, alignment: 16)
    }

    @usableFromInline
    func countRecompilations() {
        let count = recompilationCount
        if count == recompilations { return }
        recompilations = count
        runs.recompilations &+= 1
    }

    /// The number of times that SQLite compiled the statement again.
    var recompilationCount: Int32 { sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0) }

    /// Makes the statement ready to run again with other values, within the same run.
    @inlinable
    package func rewind() {
        sqlite3_reset(handle)
        used = 0
        // `isEmpty` of an array is a generic call, which is slow in debug builds.
        if fullChunks.count > 0 { forgetFullChunks() }
    }

    @usableFromInline
    func forgetFullChunks() {
        for full in fullChunks { full.deallocate() }
        fullChunks = []
    }

    // MARK: Binding

    /// Checks SQLite's code for a binding. A refused value, such as one beyond the size limit, is NULL or the earlier
    /// value, and an error of the run.
    @inlinable @inline(__always)
    package func check(_ code: Int32, _ position: Int32) {
        if code != 0 { noteFailure(code, position) }
    }

    @usableFromInline
    package func noteFailure(_ code: Int32, _ position: Int32) {
        if bindingCode != 0 { return }
        let error = SQLiteError(
            code: code & 0xFF, extendedCode: code, message: String(cString: sqlite3_errstr(code)), sql: sql)
        bindingError = bindingError ?? BindingFailure(position: base + position, error: error)
        bindingCode = code
    }

    /// The maximum number of bytes of a value or a row.
    package var lengthLimit: Int { Int(sqlite3_limit(database, SQLITE_LIMIT_LENGTH, -1)) }

    /// Throws if SQLite refused a bound value. For callers that do not use ``step()``.
    package func checkBindings() throws(SQLiteError) {
        if bindingCode != 0 { throw failure(bindingCode) }
    }

    @inlinable @inline(__always)
    package func room(for count: Int) -> UnsafeMutableRawPointer {
        if capacity - used < count { grow(by: count) }
        let room = chunk + used
        used += count
        return room
    }

    @usableFromInline
    package func grow(by count: Int) {
        fullChunks.append(chunk)
        capacity = max(capacity * 2, count)
        chunk = .allocate(byteCount: capacity, alignment: 16)
        used = 0
    }

    /// Binds NULL.
    @inlinable @inline(__always)
    public func bindNull(_ position: Int32) {
        check(sqlite3_bind_null(handle, base + position), position)
    }

    /// Binds an integer.
    @inlinable @inline(__always)
    public func bind(_ value: Int64, _ position: Int32) {
        check(sqlite3_bind_int64(handle, base + position, value), position)
    }

    /// Binds a number.
    @inlinable @inline(__always)
    public func bind(_ value: Double, _ position: Int32) {
        check(sqlite3_bind_double(handle, base + position, value), position)
    }

    /// Binds text.
    @inlinable @inline(__always)
    public func bind(_ value: String, _ position: Int32) {
        var text = value
        text.withUTF8 { bytes in
            let count = bytes.count
            let copy = room(for: count)
            if let address = bytes.baseAddress { copy.copyMemory(from: address, byteCount: count) }
            check(
                sqlite3_bind_text64(
                    handle, base + position, copy.assumingMemoryBound(to: CChar.self), UInt64(count), nil,
                    UInt8(SQLITE_UTF8)), position)
        }
    }

    /// Binds a blob.
    @inlinable @inline(__always)
    public func bind(_ value: Data, _ position: Int32) {
        // `copyBytes` would go through the regions of `DataProtocol`.
        value.withUnsafeBytes { bytes in
            if let address = bytes.baseAddress, TaggedBlob.isTagged(address, bytes.count) {
                return bindBytes(bytes, prefix: TaggedBlob.inlineTag, position)
            }
            bindBytes(bytes, position)
        }
    }

    @inlinable @inline(__always)
    package func bindBytes(_ bytes: UnsafeRawBufferPointer, _ position: Int32) {
        let copy = room(for: bytes.count)
        if let address = bytes.baseAddress { copy.copyMemory(from: address, byteCount: bytes.count) }
        check(sqlite3_bind_blob64(handle, base + position, copy, UInt64(bytes.count), nil), position)
    }

    /// Binds bytes with a prefix.
    @usableFromInline
    package func bindBytes(_ bytes: UnsafeRawBufferPointer, prefix: [UInt8], _ position: Int32) {
        (prefix + bytes).withUnsafeBytes { bindBytes($0, position) }
    }

    /// Binds a UUID as 16 bytes.
    @inlinable @inline(__always)
    public func bind(_ value: UUID, _ position: Int32) {
        let copy = room(for: 16)
        copy.storeBytes(of: value.uuid, as: uuid_t.self)
        check(sqlite3_bind_blob64(handle, base + position, copy, 16, nil), position)
    }

    /// Binds values to consecutive parameters, from position 1.
    package func bind(_ values: [SQLiteValue]) {
        var position = 0
        while position < values.count {
            bind(values[position], Int32(position + 1))
            position += 1
        }
    }

    /// Binds any value.
    public func bind(_ value: SQLiteValue, _ position: Int32) {
        switch value {
        case .null: bindNull(position)
        case .integer(let value): bind(value, position)
        case .real(let value): bind(value, position)
        case .text(let value): bind(value, position)
        case .blob(let value): bind(value, position)
        }
    }
}

/// A value that SQLite refused for a parameter.
package struct BindingFailure: Error, CustomStringConvertible {
    /// The position of the parameter in the statement, from 1.
    package var position: Int32
    package var error: SQLiteError

    /// Whether the value exceeds SQLite's size limit.
    package var isTooLarge: Bool { error.code == SQLITE_TOOBIG }
    package var description: String { error.description }
}

/// The number of statements that a connection ran.
@usableFromInline
package final class RunCounter {
    @inlinable package var count: Int {
        get { countStorage }
        set { countStorage = newValue }
    }
    @exclusivity(unchecked) @usableFromInline var countStorage = 0
    /// Whether recompilations are counted. They mostly follow a change of the schema.
    @exclusivity(unchecked) @usableFromInline package var isWatched = false
    @exclusivity(unchecked) package var recompilations = 0

    package init() {}
}
