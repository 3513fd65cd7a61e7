/// An object that changed, or is about to, in some columns.
struct ValueChange {
    /// First, where a loop that prefetches objects looks for it.
    let object: ManagedObject
    /// The bits of the columns that were set; 0 where transient values alone were.
    var columns: UInt64
    /// The object's earlier values, of these columns at least; none if no undo manager is set.
    var before: KeptValues
    /// The object's later values, of these columns at least, once they are known.
    var after = KeptValues.none
}

extension ValueChange {
    /// Notes what the object became in the columns that changed; returns false where none did.
    mutating func complete() -> Bool {
        if case .one(let value) = before, columns == ManagedObject.bit(of: value.number) {
            if let other = object.value(insteadOf: value) {
                after = .one(other)
                return true
            }
        }
        columns = object.changes(since: before, in: columns)
        if columns == 0 {
            before = .none
            return false
        }
        after = object.presentValues(columns)
        return true
    }

    /// The bits of the columns, of those that are kept as a whole, in which the object became another.
    var differences: UInt64 {
        guard case .all(let before) = before, case .all(let after) = after else { return columns }
        return before.changes(to: after) & columns
    }

    /// Notes all values of the object, before and now.
    mutating func becomeWhole() {
        columns = .max
        before = before.all(of: object)
        after = .all(object.snapshot())
    }
}
