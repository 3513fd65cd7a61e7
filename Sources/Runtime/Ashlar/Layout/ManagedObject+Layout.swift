import AshlarSQLite

/// The values of an object in its own memory, at the positions of its entity's layout.
extension ManagedObject {
    final var layout: ValuesLayout { traits.pointee.layout }

    /// Creates the object of a row.
    final class func object(at row: Row) throws(RowError) -> ManagedObject {
        var maker = ObjectMaker(_ashlarEntity)
        return try maker.object(at: row)
    }

    /// Creates an object with the values in a box of an object of the same class.
    final class func object(of snapshot: ValuesBox) -> ManagedObject {
        let layout = snapshot.layout
        return withUnsafeTemporaryAllocation(
            byteCount: max(1, layout.extent.size), alignment: layout.extent.alignment
        ) { memory in
            // The memory is not empty.
            guard let base = memory.baseAddress else { preconditionFailure("no memory for \(self)") }
            layout.copy(snapshot.values, to: base)
            return _ashlarObject(taking: base)
        }
    }

    /// Reads the values again from a row.
    final func reload(_ row: Row) throws(RowError) {
        let layout = layout
        restore(try ValuesBox.make(layout) { (values) throws(RowError) in try layout.decode(row, into: values) })
    }

    /// Reads only the derived values again from a row.
    final func reloadDerived(_ row: Row) throws(RowError) {
        let layout = layout
        let box = try ValuesBox.make(layout) { (values) throws(RowError) in try layout.decode(row, into: values) }
        restoreDerived(box)
    }

    /// Replaces the derived values by those in a box.
    final func restoreDerived(_ snapshot: ValuesBox) { restore(snapshot, .max, where: \.isDerived) }

    /// Returns a box with a copy of the values.
    final func snapshot() -> ValuesBox {
        let layout = layout
        return ValuesBox.make(layout) { copyValues(layout, to: $0) }
    }

    /// Returns the values as a struct of the object's class or of a superclass. Generated code calls it.
    @_spi(Generated) public final func _ashlarCopiedValues<Values: EntityValues>(as type: Values.Type) -> Values {
        let layout = Values.layout
        let memory = UnsafeMutablePointer<Values>.allocate(capacity: 1)
        defer { memory.deallocate() }
        copyValues(layout, to: memory)
        return memory.move()
    }

    private func copyValues(_ layout: ValuesLayout, to values: UnsafeMutableRawPointer) {
        if layout.depth == 0 { return _ashlarLend(0) { layout.copy($0, to: values) } }
        forEachDepth(layout) { depth, base in
            for property in layout.properties[layout.propertyRanges[depth]] {
                property.slot.copy(base + property.storedOffset, to: values + property.offset)
            }
        }
    }

    /// Restores the values in a box.
    final func restore(_ snapshot: ValuesBox) { restore(snapshot, .max) { _ in true } }

    /// Restores the values of some columns from a box, except references.
    final func restore(_ snapshot: ValuesBox, columns: UInt64) {
        restore(snapshot, columns) { $0.columns & columns != 0 && $0.slot.type != .identifier }
    }

    @inline(__always)
    private func restore(
        _ snapshot: ValuesBox, _ columns: UInt64, where isWanted: (ValuesLayout.Property) -> Bool
    ) {
        let layout = snapshot.layout
        forEachDepth(layout) { depth, base in
            for property in layout.properties[layout.propertyRanges[depth]] where isWanted(property) {
                layout.put(columns, of: property, from: snapshot.values, into: base, inObject: true)
            }
        }
    }

    /// Returns the bits of those columns in a mask whose values differ from a box's.
    final func changes(since snapshot: ValuesBox, in mask: UInt64) -> UInt64 {
        let layout = snapshot.layout
        var changes: UInt64 = 0
        if mask & Self.bit(of: 63) == 0 {
            var rest = mask
            while rest != 0 {
                let number = rest.trailingZeroBitCount
                rest &= rest - 1
                guard let (column, depth) = layout.column(number), !column.pointee.isDerived else { continue }
                _ashlarLend(depth) { base in
                    if layout.differs(column.pointee, object: base, values: snapshot.values) {
                        changes |= 1 << UInt64(number)
                    }
                }
            }
            return changes
        }
        forEachDepth(layout) { depth, base in
            for index in layout.writingRanges[depth] {
                let writing = layout.writings[index]
                // Several columns may share the last bit.
                if writing.bit & mask & ~changes != 0,
                    layout.differs(layout.columns[Int(writing.column)], object: base, values: snapshot.values)
                {
                    changes |= writing.bit
                }
            }
        }
        return changes
    }

    /// Replaces the values of some columns, without composites, by those of another object of the same class where the
    /// two differ. The replacement counts as a change by the program.
    final func take(_ columns: UInt64, from other: ManagedObject) {
        let layout = layout
        var changed: UInt64 = 0
        forEachColumn(layout, columns, with: other) { column, own, others in
            let offset = column.pointee.storedOffset
            if column.pointee.slot.differs(own + offset, from: others + offset) {
                changed |= Self.bit(of: column.pointee.number)
            }
        }
        if changed == 0 { return }
        _ashlarWillChange(changed)
        forEachColumn(layout, changed, with: other) { column, own, others in
            let offset = column.pointee.storedOffset
            column.pointee.slot.destroy(own + offset)
            column.pointee.slot.copy(others + offset, to: own + offset)
        }
    }

    /// Exchanges all values with another object of the same class, which does not count as a change. No value is
    /// copied, because the bytes of a value can be moved.
    final func exchangeAll(with other: ManagedObject) {
        let layout = layout
        forEachDepth(layout) { depth, base in
            other._ashlarLend(depth) { others in
                for property in layout.properties[layout.propertyRanges[depth]] {
                    exchangeBytes(base + property.storedOffset, others + property.storedOffset, property.slot.size)
                }
            }
        }
    }

    @inline(__always)
    private func exchangeBytes(_ left: UnsafeMutableRawPointer, _ right: UnsafeMutableRawPointer, _ count: Int) {
        var offset = 0
        while offset &+ 8 <= count {
            let bytes = (left + offset).loadUnaligned(as: UInt64.self)
            (left + offset).copyMemory(from: right + offset, byteCount: 8)
            withUnsafePointer(to: bytes) { (right + offset).copyMemory(from: $0, byteCount: 8) }
            offset &+= 8
        }
        while offset < count {
            let byte = (left + offset).load(as: UInt8.self)
            (left + offset).copyMemory(from: right + offset, byteCount: 1)
            withUnsafePointer(to: byte) { (right + offset).copyMemory(from: $0, byteCount: 1) }
            offset &+= 1
        }
    }

    @inline(__always)
    private func forEachColumn(
        _ layout: ValuesLayout, _ columns: UInt64, with other: ManagedObject,
        _ body: (UnsafePointer<ValuesLayout.Column>, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void
    ) {
        var rest = columns
        while rest != 0 {
            let number = rest.trailingZeroBitCount
            rest &= rest &- 1
            guard let (column, depth) = layout.column(number) else { continue }
            _ashlarLend(depth) { own in other._ashlarLend(depth) { others in body(column, own, others) } }
        }
    }

    /// Binds the values of the entity's columns that are not derived, from position 1 on.
    final func bind(to statement: Statement) {
        let layout = layout
        forEachDepth(layout) { depth, base in
            layout.bind(layout.writingRanges[depth], base, inObject: true, to: statement)
        }
    }

    /// The numbers of the columns whose values are NaN.
    final var notANumberColumns: [Int] {
        let layout = layout
        var columns: [Int] = []
        forEachDepth(layout) { depth, base in
            columns += layout.notANumberColumns(layout.writingRanges[depth], base, inObject: true)
        }
        return columns
    }

    /// Binds the value of one column.
    final func bind(_ column: Int, to statement: Statement, _ position: Int32) {
        let layout = layout
        guard let (column, depth) = layout.column(column), !column.pointee.isDerived else { return }
        _ashlarLend(depth) { layout.bind(column.pointee, $0, inObject: true, to: statement, position) }
    }

    /// Returns the value of one column.
    package final func sqliteValue(_ column: Int) -> SQLiteValue {
        let layout = layout
        guard let (column, depth) = layout.column(column) else { return .null }
        var value = SQLiteValue.null
        _ashlarLend(depth) { value = layout.sqliteValue(column.pointee, $0, inObject: true) }
        return value
    }

    /// Returns the identifier in a foreign key column.
    final func identifier(inColumn column: Int) -> PersistentIdentifier? {
        identifier(at: traits.pointee.references[column])
    }

    @inline(__always)
    final func identifier(at reference: ValuesLayout.Reference) -> PersistentIdentifier? {
        if reference.depth < 0 { return nil }
        var identifier: PersistentIdentifier?
        _ashlarLend(Int(reference.depth)) { base in
            identifier = UnsafeRawPointer(base + Int(reference.storedOffset)).value(PersistentIdentifier?.self)
        }
        return identifier
    }

    /// Sets the identifier in a foreign key column, without tracking the change.
    final func setIdentifier(_ identifier: PersistentIdentifier?, inColumn column: Int) {
        let reference = traits.pointee.references[column]
        if reference.depth < 0 { return }
        _ashlarLend(Int(reference.depth)) { base in
            (base + Int(reference.storedOffset)).assumingMemoryBound(to: PersistentIdentifier?.self).pointee =
                identifier
        }
    }

    /// Calls a closure with the stored values of each class of the hierarchy, from the root on.
    @inline(__always)
    private func forEachDepth(_ layout: ValuesLayout, _ body: (Int, UnsafeMutableRawPointer) -> Void) {
        for depth in 0...layout.depth { _ashlarLend(depth) { body(depth, $0) } }
    }
}
