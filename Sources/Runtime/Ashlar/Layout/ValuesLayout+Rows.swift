import AshlarSQLite
import SystemFoundation

/// Operations on values in the memory of a values struct.
extension ValuesLayout {
    /// Destroys the values.
    func destroy(_ base: UnsafeMutableRawPointer) { values.destroy(base) }

    /// Initializes memory with a copy of the values.
    func copy(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) { values.copy(source, to: target) }

    /// Binds the values of all columns that are not derived, from position 1 on, for a batch insertion. If an
    /// identifier names no row of the destination, running the statement throws an error.
    func bindRow(_ base: UnsafeRawPointer, to statement: Statement) {
        bind(0..<writings.count, base, inObject: false, to: statement)
    }

    /// Returns the value of a column; NULL if the entity does not have the column.
    func sqliteValue(_ number: Int, in base: UnsafeRawPointer) -> SQLiteValue {
        column(number).map { sqliteValue($0.0.pointee, base, inObject: false) } ?? .null
    }
}

/// Operations on columns in the memory of a values struct, or of an object.
extension ValuesLayout {
    /// Binds the values of some of the columns that are not derived. The position of each parameter is one more than
    /// the column's index.
    ///
    /// The most frequent types are bound here, to save a call in builds without optimisation.
    func bind(_ range: Range<Int>, _ base: UnsafeRawPointer, inObject: Bool, to statement: Statement) {
        let (writings, handle) = (writings.start, statement.handle)
        var index = range.lowerBound
        while index < range.upperBound {
            let writing = writings[index]
            index &+= 1
            let position = Int32(truncatingIfNeeded: index)
            let place = statement.base &+ position
            let address = base + Int(inObject ? writing.storedOffset : writing.offset)
            if !writing.isPlain {
                bind(columns[Int(writing.column)], base, inObject: inObject, to: statement, position)
                continue
            }
            switch writing.type {
            case .int64:
                let code = sqlite3_bind_int64(handle, place, address.assumingMemoryBound(to: Int64.self).pointee)
                statement.check(code, position)
            case .double:
                let number = address.assumingMemoryBound(to: Double.self).pointee
                if number.isNaN { statement.refuseNaN() }
                statement.check(sqlite3_bind_double(handle, place, number), position)
            case .bool:
                let code = sqlite3_bind_int64(
                    handle, place, address.assumingMemoryBound(to: Bool.self).pointee ? 1 : 0)
                statement.check(code, position)
            case .date:
                let seconds = address.assumingMemoryBound(to: Date.self).pointee.timeIntervalSinceReferenceDate
                if seconds.isNaN { statement.refuseNaN() }
                statement.check(sqlite3_bind_double(handle, place, seconds), position)
            case .string: statement.bind(address.assumingMemoryBound(to: String.self).pointee, position)
            case .identifier where !inObject:
                let identifier = address.assumingMemoryBound(to: PersistentIdentifier?.self).pointee
                statement.bind(identifier, position, writing.destination)
            default: writing.type.bind(address, to: statement, position, columns[Int(writing.column)].slot.coding)
            }
        }
    }

    @inline(never)
    func bind(
        _ column: Column, _ base: UnsafeRawPointer, inObject: Bool, to statement: Statement, _ position: Int32
    ) {
        if isAbsent(column, base, inObject: inObject) { return statement.bindNull(position) }
        if column.isPresence { return statement.bind(true, position) }
        let address = base + column.offset(inObject: inObject)
        column.slot.type.bind(address, to: statement, position, column.slot.coding)
    }

    func sqliteValue(_ column: Column, _ base: UnsafeRawPointer, inObject: Bool) -> SQLiteValue {
        if isAbsent(column, base, inObject: inObject) { return .null }
        if column.isPresence { return .integer(1) }
        return column.slot.sqliteValue(base + column.offset(inObject: inObject))
    }

    /// Returns the numbers of those columns in a range, without derived ones, whose values are NaN.
    func notANumberColumns(_ range: Range<Int>, _ base: UnsafeRawPointer, inObject: Bool) -> [Int] {
        var numbers: [Int] = []
        var index = range.lowerBound
        while index < range.upperBound {
            let writing = writings.start + index
            index &+= 1
            if !writing.pointee.type.mayBeNotANumber { continue }
            let column = columns.start + Int(writing.pointee.column)
            if column.pointee.isPresence || isAbsent(column.pointee, base, inObject: inObject) { continue }
            if column.pointee.slot.isNotANumber(base + column.pointee.offset(inObject: inObject)) {
                numbers.append(column.pointee.number)
            }
        }
        return numbers
    }

    /// Returns the numbers of a values struct's columns whose values are NaN.
    func notANumberColumns(of base: UnsafeRawPointer) -> [Int] {
        notANumberColumns(0..<writings.count, base, inObject: false)
    }

    /// Returns whether a column of an object must be written because its value differs from that in a values struct.
    func differs(_ column: Column, object: UnsafeRawPointer, values: UnsafeRawPointer) -> Bool {
        differs(column, object, from: values, inObject: true)
    }

    /// Returns whether a column must be written because its value differs from that in another values struct.
    @inline(__always)
    func differs(_ column: Column, _ base: UnsafeRawPointer, from values: UnsafeRawPointer, inObject: Bool) -> Bool {
        let isAbsent = isAbsent(column, base, inObject: inObject)
        if isAbsent != self.isAbsent(column, values, inObject: false) { return true }
        if isAbsent || column.isPresence { return false }
        return column.slot.differs(base + column.offset(inObject: inObject), from: values + column.offset)
    }

    /// Replaces a property's value by that in a values struct. Of a composite, only the given columns are replaced, or
    /// the entire composite if one of the two is nil.
    @inline(__always)
    func put(
        _ columns: UInt64, of property: Property, from values: UnsafeRawPointer, into base: UnsafeMutableRawPointer,
        inObject: Bool
    ) {
        if property.columns & ~columns != 0, putParts(columns, of: property, values, base, inObject) { return }
        let target = base + (inObject ? property.storedOffset : property.offset)
        property.slot.destroy(target)
        property.slot.copy(values + property.offset, to: target)
    }

    /// Replaces single parts of a composite. Returns whether that was possible.
    private func putParts(
        _ columns: UInt64, of property: Property, _ values: UnsafeRawPointer, _ base: UnsafeMutableRawPointer,
        _ inObject: Bool
    ) -> Bool {
        // Several columns may share the last bit.
        if property.columns & ManagedObject.bit(of: 63) != 0 { return false }
        var parts: [Column] = []
        var rest = property.columns & columns
        while rest != 0 {
            guard let (column, _) = column(rest.trailingZeroBitCount) else { return false }
            let isAbsent = isAbsent(column.pointee, base, inObject: inObject)
            if isAbsent != self.isAbsent(column.pointee, values, inObject: false) { return false }
            if !isAbsent, !column.pointee.isPresence { parts.append(column.pointee) }
            rest &= rest - 1
        }
        for part in parts {
            let target = base + part.offset(inObject: inObject)
            part.slot.destroy(target)
            part.slot.copy(values + part.offset, to: target)
        }
        return true
    }

    /// Returns whether a composite around the column is nil.
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
