/// The values of an object before its first change, or at another time: of one column or of all.
///
/// Most saves change one number or date of each object. Then no other value is copied: their texts are scattered over
/// the memory, and retaining them costs more than the change.
@usableFromInline
enum OriginalValues {
    /// Nothing changed.
    case none
    /// The value of the only column that changed or is needed.
    case one(OriginalValue)
    case all(ValuesBox)

    var isEmpty: Bool { if case .none = self { true } else { false } }
}

/// The value that the only changed column of an object had.
///
/// It is a class, so that an object without changes reserves no space for it.
@usableFromInline
final class OriginalValue {
    let value: PlainValue

    init(_ value: PlainValue) { self.value = value }
}

extension ManagedObject {
    /// The values before the first change; nil if nothing changed.
    ///
    /// Reading it copies all values if only one was kept. Code that changes values without ``beginChange(_:)`` must
    /// read it first.
    final var original: ValuesBox? {
        get {
            switch record.original {
            case .none: return nil
            case .all(let box): return box
            case .one(let original):
                let box = snapshot(with: original.value)
                record.original = .all(box)
                return box
            }
        }
        set { record.original = newValue.map { .all($0) } ?? .none }
    }

    /// Keeps the object's values before a column, or several of a composite, change.
    final func keepOriginal(_ bits: UInt64) {
        switch record.original {
        case .all: return
        case .one(let original): if bits != Self.bit(of: original.value.number) { _ = self.original }
        case .none:
            if let value = plainValue(bits) {
                record.original = .one(OriginalValue(value))
            } else {
                record.original = .all(snapshot())
            }
        }
    }

    /// Returns a copy of all values, with another value of one column.
    final func snapshot(with value: PlainValue) -> ValuesBox {
        let box = snapshot()
        box.put(value)
        return box
    }

    /// The bits of the columns that were set and differ from the original values.
    final var changesFromOriginal: UInt64 {
        switch record.original {
        case .none: return 0
        case .all(let box): return changes(since: box, in: changes)
        case .one(let original):
            let changes = changes
            if changes == Self.bit(of: original.value.number) { return differs(from: original.value) ? changes : 0 }
            return self.original.map { self.changes(since: $0, in: changes) } ?? 0
        }
    }
}
