import SystemFoundation

/// The value of one column that consists of a few bytes, stored without an allocation.
@usableFromInline
struct PlainValue {
    // With the column's number it has 22 bytes. A change with the values before and after thus fits into a cache line.
    private var bytes: (UInt64, UInt64, UInt32, UInt8) = (0, 0, 0, 0)
    private let column: UInt8

    /// The size of the largest value that fits: an optional decimal number.
    static let maximumSize = 21

    @inline(__always)
    init(_ number: Int, at address: UnsafeRawPointer, size: Int) {
        column = UInt8(truncatingIfNeeded: number)
        // Most values have this size; copying a variable number of bytes is a function call.
        if size == 8 {
            bytes.0 = address.loadUnaligned(as: UInt64.self)
        } else {
            withUnsafeMutableBytes(of: &bytes) {
                $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: size))
            }
        }
    }

    /// The number of the column.
    var number: Int { Int(column) }

    /// Calls a closure with the value's address.
    @inline(__always)
    func withAddress<Result>(_ body: (UnsafeRawPointer) -> Result) -> Result {
        withUnsafePointer(to: bytes) { body(UnsafeRawPointer($0)) }
    }

    /// Returns whether another value of the column differs.
    @inline(__always)
    func differs(from address: UnsafeRawPointer, _ slot: ValueSlot) -> Bool {
        if slot.size == 8 {
            let isSame = address.loadUnaligned(as: UInt64.self) == bytes.0
            return !isSame && withAddress { slot.differs(address, fromOtherBytes: $0) }
        }
        return withAddress { slot.differs(address, from: $0) }
    }

    /// Replaces a value of the column.
    @inline(__always)
    func copy(to address: UnsafeMutableRawPointer, size: Int) {
        if size == 8 {
            withAddress { address.copyMemory(from: $0, byteCount: 8) }
        } else {
            withAddress { address.copyMemory(from: $0, byteCount: size) }
        }
    }
}

extension ManagedObject {
    /// Returns the value of a column that can be kept alone; nil for other columns.
    final func plainValue(_ bits: UInt64) -> PlainValue? {
        // The last bit stands for several columns.
        let number = bits.trailingZeroBitCount
        guard bits & (bits &- 1) == 0, number < 63, let (column, depth) = traits.pointee.columns[number],
            column.pointee.isPlain
        else { return nil }
        var value: PlainValue?
        _ashlarLend(depth) { base in
            value = PlainValue(number, at: base + column.pointee.storedOffset, size: column.pointee.slot.size)
        }
        return value
    }

    /// Returns whether the object's value differs from a kept one.
    final func differs(from value: PlainValue) -> Bool {
        guard let (column, depth) = traits.pointee.columns[value.number] else { return false }
        var differs = false
        _ashlarLend(depth) { base in
            differs = value.differs(from: base + column.pointee.storedOffset, column.pointee.slot)
        }
        return differs
    }

    /// Returns the object's present value in place of a kept one; nil if they are the same.
    final func value(insteadOf kept: PlainValue) -> PlainValue? {
        guard let (column, depth) = traits.pointee.columns[kept.number] else { return nil }
        var value: PlainValue?
        _ashlarLend(depth) { base in
            let address = base + column.pointee.storedOffset
            if kept.differs(from: address, column.pointee.slot) {
                value = PlainValue(kept.number, at: address, size: column.pointee.slot.size)
            }
        }
        return value
    }

    /// Sets a value without a notification.
    @inline(__always)
    final func put(_ value: PlainValue) {
        guard let (column, depth) = traits.pointee.columns[value.number] else { return }
        _ashlarLend(depth) { base in
            value.copy(to: base + column.pointee.storedOffset, size: column.pointee.slot.size)
        }
    }

    /// Sets a value as a change by the program would, if it differs.
    final func take(_ value: PlainValue) {
        guard let (column, depth) = traits.pointee.columns[value.number] else { return }
        var differs = false
        _ashlarLend(depth) { base in
            differs = value.differs(from: base + column.pointee.storedOffset, column.pointee.slot)
        }
        if !differs { return }
        _ashlarWillChange(Self.bit(of: value.number))
        put(value)
    }
}

extension ManagedObject {
    /// Copies the only changed value of another object of the same class and row, as a change by the program would.
    /// This requires that the object has no changes, and has the other's original value, which both then share. Returns
    /// false, and does nothing, otherwise.
    final func takeOnlyChange(_ columns: UInt64, of other: ManagedObject) -> Bool {
        guard case .one(let original) = other.record.original, columns == Self.bit(of: original.value.number),
            record.original.isEmpty, record.state == .persisted, record.followers == 0,
            let (column, depth) = traits.pointee.columns[original.value.number]
        else { return false }
        let (offset, slot) = (column.pointee.storedOffset, column.pointee.slot)
        var isSame = false
        _ashlarLend(depth) { own in isSame = !original.value.differs(from: own + offset, slot) }
        if !isSame { return false }
        record.original = .one(original)
        record.changes |= columns
        // Listeners read the value before the change.
        withContext { $0.noteChange(of: self, columns: columns, isFirst: true) }
        _ashlarLend(depth) { own in
            other._ashlarLend(depth) { (own + offset).copyMemory(from: $0 + offset, byteCount: slot.size) }
        }
        return true
    }
}

extension ValuesBox {
    /// Replaces the value of its column. The box must not be shared.
    func put(_ value: PlainValue) {
        guard let (column, _) = layout.column(value.number) else { return }
        value.copy(to: values + column.pointee.offset, size: column.pointee.slot.size)
    }
}

extension ValuesLayout.Column {
    /// Whether the value consists of few enough bytes for a ``PlainValue``, in a place of its own.
    fileprivate var isPlain: Bool {
        slot.isPlain && slot.size <= PlainValue.maximumSize && !isPresence && !isDerived && enclosing.isEmpty
    }
}
