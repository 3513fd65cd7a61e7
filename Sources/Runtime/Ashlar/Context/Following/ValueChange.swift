/// An object that changed, or is about to, in some columns.
struct ValueChange {
    /// The object. It is the first property, because a loop that prefetches objects reads it there.
    let object: ManagedObject
    /// The bits of the columns that were set; 0 if only transient values were set.
    var columns: UInt64
    /// The object's earlier values, at least of these columns; none if no undo manager is set.
    var before: KeptValues
    /// The object's later values, at least of these columns, once they are known.
    var after = KeptValues.none
}

extension ValueChange {
    /// Records the object's present values of the changed columns; returns false if none differs.
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

    /// The bits of the columns whose values differ, among those that were kept for the whole object.
    var differences: UInt64 {
        guard case .all(let before) = before, case .all(let after) = after else { return columns }
        return before.changes(to: after) & columns
    }

    /// Records all values of the object, before and now.
    mutating func becomeWhole() {
        columns = .max
        before = before.all(of: object)
        after = .all(object.snapshot())
    }
}
