/// What an object was before its first change, or at another time: of one column, or of all.
///
/// Most saves change one number or date of each object. Of that alone no other value is copied: their texts lie all over
/// the memory, and to hold them costs more than the change.
@usableFromInline
enum OriginalValues {
    /// Nothing changed.
    case none
    /// The only column that changed, or is of interest.
    case one(OriginalValue)
    case all(ValuesBox)

    var isEmpty: Bool { if case .none = self { true } else { false } }
}

/// The value that the only changed column of an object had; one that refers to nothing.
@usableFromInline
final class OriginalValue {
    let number: Int
    // What checked accesses would cost stands beside ``IdentityMap``.
    @exclusivity(unchecked) private var bytes: (UInt64, UInt64, UInt64) = (0, 0, 0)

    /// The size of the largest value that is kept.
    static let maximumSize = 24

    init(_ number: Int, at address: UnsafeRawPointer, size: Int) {
        self.number = number
        withUnsafeMutableBytes(of: &bytes) { $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: size)) }
    }

    /// Puts the value where one of its type is.
    func copy(to address: UnsafeMutableRawPointer, _ slot: ValueSlot) {
        withAddress { address.copyMemory(from: $0, byteCount: slot.size) }
    }

    /// Calls a closure with the value's address.
    func withAddress<Result>(_ body: (UnsafeRawPointer) -> Result) -> Result {
        withUnsafePointer(to: &bytes) { body(UnsafeRawPointer($0)) }
    }
}

extension ManagedObject {
    /// The values before the first change; nil where nothing changed.
    ///
    /// To ask makes a copy of all values where one alone was kept. Whatever changes values without ``beginChange(_:)``
    /// has to ask before it does.
    final var original: ValuesBox? {
        get {
            switch record.original {
            case .none: return nil
            case .all(let box): return box
            case .one(let value):
                let box = snapshot(with: value)
                record.original = .all(box)
                return box
            }
        }
        set { record.original = newValue.map { .all($0) } ?? .none }
    }

    /// Keeps what the object is before a column changes, or several of a composite.
    final func keepOriginal(_ bits: UInt64) {
        switch record.original {
        case .all: return
        case .one(let value): if bits != Self.bit(of: value.number) { _ = original }
        case .none:
            if let value = originalValue(bits) {
                record.original = .one(value)
            } else {
                record.original = .all(snapshot())
            }
        }
    }

    /// All values, with another one of one column.
    fileprivate final func snapshot(with value: OriginalValue) -> ValuesBox {
        let box = snapshot()
        box.put(value)
        return box
    }

    /// What the object is before columns change, in these columns at least.
    ///
    /// - Parameter isFirst: Whether the original, if there is one, was kept just now for the same change.
    final func values(before columns: UInt64, isFirst: Bool) -> OriginalValues {
        if columns == 0 { return .none }
        if isFirst, !record.original.isEmpty { return record.original }
        return presentValues(columns)
    }

    /// What the object is, in some columns at least.
    final func presentValues(_ columns: UInt64) -> OriginalValues {
        originalValue(columns).map { .one($0) } ?? .all(snapshot())
    }

    /// What the object is before more columns change, and was before others did.
    final func values(before columns: UInt64, and known: OriginalValues) -> OriginalValues {
        switch known {
        case .none: values(before: columns, isFirst: false)
        case .one(let value): .all(snapshot(with: value))
        case .all: known
        }
    }

    private func differs(_ value: OriginalValue, _ column: UnsafePointer<ValuesLayout.Column>, _ depth: Int) -> Bool {
        var differs = false
        _ashlarLend(depth) { base in
            let stored = base + column.pointee.storedOffset
            differs = value.withAddress { column.pointee.slot.differs(stored, from: $0) }
        }
        return differs
    }

    /// The bits of those columns, of some, that have other values than were kept.
    final func changes(since kept: OriginalValues, in columns: UInt64) -> UInt64 {
        switch kept {
        case .none: return 0
        case .all(let box): return changes(since: box, in: columns)
        case .one(let value):
            guard columns & Self.bit(of: value.number) != 0, let (column, depth) = layout.column(value.number)
            else { return 0 }
            return differs(value, column, depth) ? Self.bit(of: value.number) : 0
        }
    }

    /// Takes kept values for its own, of some columns that are no references, as a change of the program's would.
    final func take(_ kept: OriginalValues, _ columns: UInt64) {
        let changed = changes(since: kept, in: columns)
        if changed == 0 { return }
        _ashlarWillChange(changed)
        switch kept {
        case .none: break
        case .all(let box): restore(box, columns: changed)
        case .one(let value):
            guard let (column, depth) = layout.column(value.number) else { return }
            _ashlarLend(depth) { base in value.copy(to: base + column.pointee.storedOffset, column.pointee.slot) }
        }
    }

    /// The value of a column that may be kept alone; nil of others.
    private func originalValue(_ bits: UInt64) -> OriginalValue? {
        // The last bit stands for several columns.
        let number = bits.trailingZeroBitCount
        guard bits & (bits &- 1) == 0, number < 63, let (column, depth) = layout.column(number), column.pointee.isPlain
        else { return nil }
        var value: OriginalValue?
        _ashlarLend(depth) { base in
            value = OriginalValue(
                number, at: base + column.pointee.storedOffset, size: column.pointee.slot.size)
        }
        return value
    }

    /// The bits of the columns that were set and have other values than before.
    final var changesFromOriginal: UInt64 {
        switch record.original {
        case .none: return 0
        case .all(let box): return changes(since: box, in: changes)
        case .one(let value):
            let changes = changes
            guard changes == Self.bit(of: value.number), let (column, depth) = layout.column(value.number) else {
                return original.map { self.changes(since: $0, in: changes) } ?? 0
            }
            return differs(value, column, depth) ? changes : 0
        }
    }
}

extension ValuesBox {
    /// Puts a value in the place of that of its column; the box must be nobody else's.
    fileprivate func put(_ value: OriginalValue) {
        guard let (column, _) = layout.column(value.number) else { return }
        value.copy(to: values + column.pointee.offset, column.pointee.slot)
    }

    /// A copy with another value of a column.
    fileprivate func with(_ value: OriginalValue) -> ValuesBox {
        let box = copy()
        box.put(value)
        return box
    }

    /// A copy with what another box has in some columns.
    fileprivate func with(_ columns: UInt64, of other: ValuesBox) -> ValuesBox {
        let box = copy()
        for property in layout.properties where property.columns & columns != 0 {
            property.slot.destroy(box.values + property.offset)
            property.slot.copy(other.values + property.offset, to: box.values + property.offset)
        }
        return box
    }

    private func copy() -> ValuesBox { ValuesBox.make(layout) { layout.copy(values, to: $0) } }
}

extension OriginalValues {
    /// The identifier in a foreign key column.
    func identifier(inColumn number: Int, _ layout: ValuesLayout) -> PersistentIdentifier? {
        guard let (column, _) = layout.column(number), column.pointee.slot.type == .identifier else { return nil }
        switch self {
        case .none: return nil
        case .one(let value):
            return value.number == number ? value.withAddress { $0.value(PersistentIdentifier?.self) } : nil
        case .all(let box):
            return UnsafeRawPointer(box.values + column.pointee.offset).value(PersistentIdentifier?.self)
        }
    }

    /// All values of an object of which some may be kept, with these; the others are what the object has now.
    func all(of object: ManagedObject) -> OriginalValues {
        switch self {
        case .none: .all(object.snapshot())
        case .one(let value): .all(object.snapshot(with: value))
        case .all: self
        }
    }

    /// These values, and those of some more columns of the same object that were kept otherwise.
    ///
    /// - Parameter more: Columns of which these values say nothing, even where a box has something there.
    func adding(_ more: UInt64, of others: OriginalValues, _ object: ManagedObject) -> OriginalValues {
        if more == 0 { return self }
        switch (self, others) {
        case (.none, _): return others
        case (_, .none): return self
        case (.one(let value), .all(let box)): return .all(box.with(value))
        case (.all(let box), .one(let value)): return .all(box.with(value))
        case (.all(let box), .all(let other)): return .all(box.with(more, of: other))
        case (.one, .one(let other)):
            return .all(object.snapshot()).adding(more, of: .one(other), object)
                .adding(more, of: self, object)
        }
    }
}

extension ValuesLayout.Column {
    /// Whether the value is nothing but bytes, few enough for an ``OriginalValue``, in a place of its own.
    fileprivate var isPlain: Bool {
        slot.isPlain && slot.size <= OriginalValue.maximumSize && !isPresence && !isDerived && enclosing.isEmpty
    }
}
