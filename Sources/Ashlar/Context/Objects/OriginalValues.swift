/// What an object was before its first change.
///
/// Most saves change one number or date of each object. Of that alone no other value is copied: their texts lie all over
/// the memory, and to hold them costs more than the change.
@usableFromInline
enum OriginalValues {
    /// Nothing changed.
    case none
    /// The only column that changed.
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
                let box = snapshot()
                if let (column, _) = layout.column(value.number) {
                    value.withAddress { address in
                        (box.values + column.pointee.offset)
                            .copyMemory(from: address, byteCount: column.pointee.slot.size)
                    }
                }
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
            var differs = false
            _ashlarLend(depth) { base in
                let stored = base + column.pointee.storedOffset
                differs = value.withAddress { column.pointee.slot.differs(stored, from: $0) }
            }
            return differs ? changes : 0
        }
    }
}

extension ValuesLayout.Column {
    /// Whether the value is nothing but bytes, few enough for an ``OriginalValue``, in a place of its own.
    fileprivate var isPlain: Bool {
        slot.isPlain && slot.size <= OriginalValue.maximumSize && !isPresence && !isDerived && enclosing.isEmpty
    }
}
