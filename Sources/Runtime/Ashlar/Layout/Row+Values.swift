import AshlarSQLite
public import SystemFoundation

/// Functions that read columns.
///
/// They are in one file with their callers for each column: in builds without optimisation, the compiler inlines
/// `@_transparent` functions only within a file.
@_spi(Generated) extension Row {
    /// Returns whether a column is NULL.
    @_transparent
    public func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    // MARK: Integers

    /// Returns the integer in a column.
    @_transparent
    public func int64(_ column: Int32) throws(RowError) -> Int64 {
        let value = sqlite3_column_int64(statement, column)
        if value == 0, isNull(column) { throw RowError(column: column, expected: "an integer") }
        return value
    }

    /// Returns the integer that was computed for a column. A result beyond 64 bits is a floating-point number, for
    /// which SQLite would return the nearest integer.
    func computedInteger(_ column: Int32) throws(RowError) -> Int64 {
        let value = try int64(column)
        if value == .max || value == .min, sqlite3_column_type(statement, column) == SQLITE_FLOAT {
            throw RowError(column: column, expected: "an integer of 64 bits")
        }
        return value
    }

    /// Returns the integer in a column; nil if the column is NULL.
    @_transparent
    public func optionalInt64(_ column: Int32) -> Int64? {
        // NULL is likely here. The type of a value costs less to get than that of a column.
        let value = sqlite3_column_value(statement, column)
        let integer = sqlite3_value_int64(value)
        return integer == 0 && sqlite3_value_type(value) == SQLITE_NULL ? nil : integer
    }

    /// Returns the integer in a column if it fits the type.
    @inlinable @inline(__always)
    public func integer<Value: FixedWidthInteger>(_ column: Int32) throws(RowError) -> Value {
        guard let value = Value(exactly: try int64(column)) else {
            throw RowError(column: column, expected: "an integer from \(Value.min) to \(Value.max)")
        }
        return value
    }

    /// Returns the integer in a column if it fits the type; nil if the column is NULL.
    @inlinable @inline(__always)
    public func optionalInteger<Value: FixedWidthInteger>(_ column: Int32) throws(RowError) -> Value? {
        guard let number = optionalInt64(column) else { return nil }
        guard let value = Value(exactly: number) else {
            throw RowError(column: column, expected: "an integer from \(Value.min) to \(Value.max)")
        }
        return value
    }

    /// Returns the Boolean in a column. Any number but 0 is true.
    @_transparent
    public func bool(_ column: Int32) throws(RowError) -> Bool {
        guard let integer = optionalInt64(column) else { throw RowError(column: column, expected: "an integer") }
        return integer != 0
    }

    /// Returns the Boolean in a column; nil if the column is NULL.
    @_transparent
    public func optionalBool(_ column: Int32) -> Bool? { optionalInt64(column).map { $0 != 0 } }

    // MARK: Floating point and dates

    /// Returns the number in a column.
    @_transparent
    public func double(_ column: Int32) throws(RowError) -> Double {
        let value = sqlite3_column_double(statement, column)
        if value == 0, isNull(column) { throw RowError(column: column, expected: "a number") }
        return value
    }

    /// Returns the number in a column; nil if the column is NULL.
    @_transparent
    public func optionalDouble(_ column: Int32) -> Double? {
        let value = sqlite3_column_value(statement, column)
        let number = sqlite3_value_double(value)
        return number == 0 && sqlite3_value_type(value) == SQLITE_NULL ? nil : number
    }

    /// Returns the number in a column, in single precision.
    @_transparent
    public func float(_ column: Int32) throws(RowError) -> Float { Float(try double(column)) }

    /// Returns the number in a column, in single precision; nil if the column is NULL.
    @_transparent
    public func optionalFloat(_ column: Int32) -> Float? { optionalDouble(column).map { Float($0) } }

    /// Returns the date in a column, which is stored as seconds since 2001-01-01 UTC.
    @_transparent
    public func date(_ column: Int32) throws(RowError) -> Date {
        Date(timeIntervalSinceReferenceDate: try double(column))
    }

    /// Returns the date in a column; nil if the column is NULL.
    @_transparent
    public func optionalDate(_ column: Int32) -> Date? {
        optionalDouble(column).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    // MARK: Text

    /// Returns the text in a column.
    @_transparent
    public func string(_ column: Int32) throws(RowError) -> String {
        guard let value = optionalString(column) else { throw RowError(column: column, expected: "text") }
        return value
    }

    /// Returns the text in a column; nil if the column is NULL.
    @_transparent
    public func optionalString(_ column: Int32) -> String? {
        let value = sqlite3_column_value(statement, column)
        guard let bytes = sqlite3_value_text(value) else { return nil }
        let count = Int(sqlite3_value_bytes(value))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    // MARK: Relationships

    /// Returns the identifier in a foreign key column; nil if the column is NULL. Negative numbers are those of objects
    /// that were never saved, and do not occur in a store.
    @_transparent
    package func identifier(_ column: Int32, _ entity: EntityNumber) throws(RowError) -> PersistentIdentifier? {
        let value = sqlite3_column_int64(statement, column)
        if value > 0 { return PersistentIdentifier(rowID: value, store: store, entity: entity) }
        if value == 0, isNull(column) { return nil }
        if namesUnsaved { return PersistentIdentifier(rowID: value, store: store, entity: entity) }
        throw RowError(column: column, expected: "the number of a row, which is 1 or more")
    }
}

extension StoredType {
    /// Initializes memory with the value of a column. If it throws, nothing is initialized.
    ///
    /// The most frequent types are part of the loop over the columns. The others would only make it slower.
    @_transparent
    fileprivate func decode(
        _ row: Row, _ column: Int32, into address: UnsafeMutableRawPointer, _ destination: EntityNumber
    ) throws(RowError) {
        switch self {
        case .int64: address.store(Int64.self, try row.int64(column))
        case .double: address.store(Double.self, try row.double(column))
        case .bool: address.store(Bool.self, try row.bool(column))
        case .date: address.store(Date.self, try row.date(column))
        case .string: address.initialize(String.self, to: try row.string(column))
        case .optionalInt64: address.store(Int64?.self, row.optionalInt64(column))
        case .optionalDouble: address.store(Double?.self, row.optionalDouble(column))
        case .optionalBool: address.store(Bool?.self, row.optionalBool(column))
        case .optionalDate: address.store(Date?.self, row.optionalDate(column))
        case .optionalString: address.initialize(String?.self, to: row.optionalString(column))
        case .identifier:
            address.store(PersistentIdentifier?.self, try row.identifier(column, destination))
        default: try decodeSeldom(row, column, into: address)
        }
    }

    @inline(never)
    fileprivate func decodeSeldom(
        _ row: Row, _ column: Int32, into address: UnsafeMutableRawPointer
    ) throws(RowError) {
        switch self {
        case .int16: address.store(Int16.self, try row.integer(column))
        case .int32: address.store(Int32.self, try row.integer(column))
        case .float: address.store(Float.self, try row.float(column))
        case .data, .externalData: address.initialize(Data.self, to: try row.data(column))
        case .uuid: address.store(UUID.self, try row.uuid(column))
        case .url: address.initialize(URL.self, to: try row.url(column))
        case .decimal: address.store(Decimal.self, try row.decimal(column))
        case .optionalInt16: address.store(Int16?.self, try row.optionalInteger(column))
        case .optionalInt32: address.store(Int32?.self, try row.optionalInteger(column))
        case .optionalFloat: address.store(Float?.self, row.optionalFloat(column))
        case .optionalData, .optionalExternalData: address.initialize(Data?.self, to: try row.optionalData(column))
        case .optionalUUID: address.store(UUID?.self, try row.optionalUUID(column))
        case .optionalURL: address.initialize(URL?.self, to: try row.optionalURL(column))
        case .optionalDecimal: address.store(Decimal?.self, try row.optionalDecimal(column))
        default: break
        }
    }
}

extension ValuesLayout {
    /// Initializes memory with the values of a row. If it throws, nothing is initialized.
    func decode(_ row: Row, into base: UnsafeMutableRawPointer) throws(RowError) {
        var count = 0
        do throws(RowError) {
            let total = readings.count
            let readings = readings.start
            while count < total {
                let reading = readings[count]
                let address = base + Int(reading.offset)
                if case .coded = reading.type {
                    try decode(coded.start[count], row, reading.position, into: address)
                } else {
                    try reading.type.decode(row, reading.position, into: address, reading.destination)
                }
                count += 1
            }
        } catch {
            for property in properties.prefix(count) { property.slot.destroy(base + property.offset) }
            throw error
        }
    }

    /// Initializes memory with the value of one property. If it throws, nothing is initialized.
    func decode(_ property: Int, _ row: Row, into address: UnsafeMutableRawPointer) throws(RowError) {
        let reading = readings[property]
        if case .coded = reading.type { return try decode(coded[property], row, reading.position, into: address) }
        try reading.type.decode(row, reading.position, into: address, reading.destination)
    }

    @inline(never)
    private func decode(
        _ coded: Coded, _ row: Row, _ column: Int32, into address: UnsafeMutableRawPointer
    ) throws(RowError) {
        if coded.absentCount > 0, row.isNull(column) {
            address.copyMemory(from: absentBytes.start + coded.absentStart, byteCount: coded.absentCount)
        } else {
            try coded.coding?.decode(row, column, into: address)
        }
    }
}

/// The positions of a row's values in memory, one after the other, and the way to read each.
struct SelectedValues: Sendable {
    /// The description of a value without a conversion. It contains no references, which would be counted for each row.
    struct Reading: Sendable {
        /// The distance of the value from the first one.
        var offset: Int
        /// The type; `coded` if a closure reads the value.
        var type: StoredType
    }

    /// The additional description of a value that its column alone does not determine.
    private struct Coded: Sendable {
        var decode: @Sendable (Row, Int32, UnsafeMutableRawPointer) throws(RowError) -> Void
        var destroy: @Sendable (UnsafeMutableRawPointer) -> Void
    }

    private(set) var readings: [Reading] = []
    private var coded: [Coded] = []
    /// The bytes up to the end of the last value.
    private(set) var size = 0

    /// Adds the value of the next column, at its position in a tuple of all values.
    ///
    /// - Parameter type: The type in the column if no conversion is needed; nil if only the closure can read it.
    mutating func append<Value>(
        _ type: StoredType?, _ decode: @escaping @Sendable (Row, Int32) throws(RowError) -> Value
    ) {
        let alignment = MemoryLayout<Value>.alignment
        let offset = (size + alignment - 1) / alignment * alignment
        size = offset + MemoryLayout<Value>.size
        readings.append(Reading(offset: offset, type: type ?? .coded))
        coded.append(
            Coded(
                decode: { row, column, address throws(RowError) in
                    address.initialize(Value.self, to: try decode(row, column))
                },
                destroy: { $0.assumingMemoryBound(to: Value.self).deinitialize(count: 1) }))
    }

    /// Initializes memory with the values of a row. If it throws, nothing is initialized.
    func decode(_ row: Row, into base: UnsafeMutableRawPointer) throws(RowError) {
        var count = 0
        do throws(RowError) {
            // Values without a conversion have no destination.
            let destination = EntityNumber(root: 0, entity: 0)
            while count < readings.count {
                let reading = readings[count]
                let column = Int32(truncatingIfNeeded: count)
                if reading.type == .coded {
                    try coded[count].decode(row, column, base + reading.offset)
                } else {
                    try reading.type.decode(row, column, into: base + reading.offset, destination)
                }
                count += 1
            }
        } catch {
            for position in 0..<count { coded[position].destroy(base + readings[position].offset) }
            throw error
        }
    }
}

extension UnsafeMutableRawPointer {
    /// Stores a value without references. The memory must hold no value that has to be destroyed first.
    @_transparent
    fileprivate func store<Value>(_ type: Value.Type, _ value: Value) {
        assumingMemoryBound(to: type).pointee = value
    }
}
