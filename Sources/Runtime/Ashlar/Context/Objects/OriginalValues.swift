/// The values of an object before its first change, or at another time: of one column, or of all.
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

/// The value that the only changed column of an object had.
///
/// A class, so that an object without changes has no room for it.
@usableFromInline
final class OriginalValue {
    let value: PlainValue

    init(_ value: PlainValue) { self.value = value }
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
            case .one(let original):
                let box = snapshot(with: original.value)
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
        case .one(let original): if bits != Self.bit(of: original.value.number) { _ = self.original }
        case .none:
            if let value = plainValue(bits) {
                record.original = .one(OriginalValue(value))
            } else {
                record.original = .all(snapshot())
            }
        }
    }

    /// All values, with another one of one column.
    final func snapshot(with value: PlainValue) -> ValuesBox {
        let box = snapshot()
        box.put(value)
        return box
    }

    /// The bits of the columns that were set and have other values than before.
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
