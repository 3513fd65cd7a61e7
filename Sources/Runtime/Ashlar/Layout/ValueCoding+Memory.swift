import AshlarSQLite

/// Operations on values in memory for callers that do not have the type.
extension ValueCoding {
    static var size: Int { MemoryLayout<Value>.size }
    static var alignment: Int { MemoryLayout<Value>.alignment }

    static func decode(
        _ row: Row, _ column: Int32, into address: UnsafeMutableRawPointer
    ) throws(RowError) {
        address.initializeMemory(as: Value.self, to: try decode(row, column))
    }

    /// The bytes of the value that represents NULL, which contain no references; empty if the type has no such value.
    static var absentBytes: [UInt8] {
        guard let absent else { return [] }
        let address = UnsafeMutableRawPointer.allocate(byteCount: max(1, size), alignment: alignment)
        defer { address.deallocate() }
        address.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        address.initializeMemory(as: Value.self, to: absent)
        return Array(UnsafeRawBufferPointer(start: address, count: size))
    }

    static func bind(at address: UnsafeRawPointer, to statement: Statement, _ position: Int32) {
        bind(value(at: address), to: statement, position)
    }

    static func sqliteValue(at address: UnsafeRawPointer) -> SQLiteValue { sqliteValue(value(at: address)) }

    static func isNil(at address: UnsafeRawPointer) -> Bool { isNil(value(at: address)) }

    static func isEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
        value(at: left) == value(at: right)
    }

    static func copy(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
        target.initializeMemory(as: Value.self, from: source.assumingMemoryBound(to: Value.self), count: 1)
    }

    static func move(_ source: UnsafeMutableRawPointer, to target: UnsafeMutableRawPointer) {
        target.moveInitializeMemory(as: Value.self, from: source.assumingMemoryBound(to: Value.self), count: 1)
    }

    static func destroy(_ address: UnsafeMutableRawPointer) {
        address.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
    }

    /// Returns the value with its own type, for rare operations.
    static func any(at address: UnsafeRawPointer) -> Any { value(at: address) }

    private static func value(at address: UnsafeRawPointer) -> Value {
        address.assumingMemoryBound(to: Value.self).pointee
    }
}
