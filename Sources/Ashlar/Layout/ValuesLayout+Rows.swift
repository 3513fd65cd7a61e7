/// Values in the memory of a values struct.
extension ValuesLayout {
    /// Makes the values of a row. Nothing is made when it throws.
    func decode(_ row: Row, into base: UnsafeMutableRawPointer) throws(RowError) {
        var count = 0
        do throws(RowError) {
            while count < readings.count {
                let reading = readings[count]
                let address = base + Int(reading.offset)
                if case .coded = reading.type {
                    try decode(properties[count], row, reading.position, into: address)
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

    @inline(never)
    private func decode(
        _ property: Property, _ row: Row, _ column: Int32, into address: UnsafeMutableRawPointer
    ) throws(RowError) {
        if !property.absentBytes.isEmpty, row.isNull(column) {
            property.absentBytes.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(start: address, count: bytes.count).copyMemory(from: bytes)
            }
        } else {
            try property.slot.coding?.decode(row, column, into: address)
        }
    }

    /// Ends the values.
    func destroy(_ base: UnsafeMutableRawPointer) { values.destroy(base) }

    /// Makes a copy of the values.
    func copy(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) { values.copy(source, to: target) }

    /// Binds the values of all columns that are not derived, from position 1 on, for a batch insertion. An identifier
    /// that names no row of the destination is an error when the statement runs.
    func bindRow(_ base: UnsafeRawPointer, to statement: Statement) {
        var index = 0
        while index < writings.count {
            let writing = writings[index]
            index += 1
            let position = Int32(index)
            if case .identifier = writing.type {
                let value = (base + Int(writing.offset)).value(PersistentIdentifier?.self)
                statement.bind(value, position, writing.destination)
            } else {
                bind(writing, base, inObject: false, to: statement, position)
            }
        }
    }

    /// The value of a column; NULL for one that the entity has not.
    func sqliteValue(_ number: Int, in base: UnsafeRawPointer) -> SQLiteValue {
        column(number).map { sqliteValue($0.0, base, inObject: false) } ?? .null
    }
}

/// Columns in the memory of a values struct, or of an object.
extension ValuesLayout {
    /// Binds a column's value to a parameter.
    @inline(__always)
    func bind(
        _ writing: Writing, _ base: UnsafeRawPointer, inObject: Bool, to statement: Statement, _ position: Int32
    ) {
        if !writing.isPlain {
            return bind(columns[Int(writing.column)], base, inObject: inObject, to: statement, position)
        }
        let offset = Int(inObject ? writing.storedOffset : writing.offset)
        writing.type.bind(base + offset, to: statement, position, columns[Int(writing.column)].slot.coding)
    }

    @inline(never)
    func bind(
        _ column: Column, _ base: UnsafeRawPointer, inObject: Bool, to statement: Statement, _ position: Int32
    ) {
        if isAbsent(column, base, inObject: inObject) { return statement.bindNull(position) }
        if column.isPresence { return statement.bind(true, position) }
        let address = base + column.offset(inObject: inObject)
        if column.isRequiredNumber, column.slot.isNotANumber(address) { statement.refuseNaN() }
        column.slot.type.bind(address, to: statement, position, column.slot.coding)
    }

    func sqliteValue(_ column: Column, _ base: UnsafeRawPointer, inObject: Bool) -> SQLiteValue {
        if isAbsent(column, base, inObject: inObject) { return .null }
        if column.isPresence { return .integer(1) }
        return column.slot.sqliteValue(base + column.offset(inObject: inObject))
    }

    /// Whether a column of an object has to be written because it has not the value of a values struct.
    func differs(_ column: Column, object: UnsafeRawPointer, values: UnsafeRawPointer) -> Bool {
        let isAbsent = isAbsent(column, object, inObject: true)
        if isAbsent != self.isAbsent(column, values, inObject: false) { return true }
        if isAbsent || column.isPresence { return false }
        return column.slot.differs(object + column.storedOffset, from: values + column.offset)
    }

    /// Whether a composite is nil that the column belongs to.
    @inline(__always)
    private func isAbsent(_ column: Column, _ base: UnsafeRawPointer, inObject: Bool) -> Bool {
        if column.enclosing.isEmpty, !column.isPresence { return false }
        for optional in enclosing[column.enclosing] {
            let offset = inObject ? optional.storedOffset : optional.offset
            if optional.slot.coding?.isNil(at: base + offset) == true { return true }
        }
        return column.isPresence && column.slot.coding?.isNil(at: base + column.offset(inObject: inObject)) == true
    }
}

extension EntityValues {
    fileprivate static func destroy(_ base: UnsafeMutableRawPointer) {
        base.assumingMemoryBound(to: Self.self).deinitialize(count: 1)
    }

    fileprivate static func copy(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
        target.bindMemory(to: Self.self, capacity: 1).initialize(to: source.assumingMemoryBound(to: Self.self).pointee)
    }
}
