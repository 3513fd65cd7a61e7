/// The rowids that a save gave to objects with temporary ones.
///
/// Objects that are made one after the other have consecutive temporary rowids. An array in their order then replaces a
/// dictionary, which would miss the cache at every step. Getting and setting take constant time, on average if rowids
/// are not consecutive.
@frozen @usableFromInline
package struct PermanentRowIDs {
    /// The temporary rowid at the array's start; the next ones are less.
    @usableFromInline let first: Int64
    /// 0 if there is none.
    @usableFromInline var dense: ContiguousArray<Int64> = []
    @usableFromInline var others: [Int64: Int64] = [:]
    /// Whether no rowid was ever given.
    @usableFromInline package internal(set) var isEmpty = true

    package init() { first = 0 }

    /// Makes room for some temporary rowids between a least and a greatest one.
    package init(least: Int64, greatest: Int64, count: Int) {
        first = greatest
        let span = greatest - least + 1
        if count > 0, span <= 4 * count { dense = ContiguousArray(repeating: 0, count: Int(span)) }
    }

    /// The rowid in the place of a temporary one; nil if there is none.
    package subscript(temporary: Int64) -> Int64? {
        @inlinable get {
            let offset = first &- temporary
            if offset >= 0, offset < dense.count { return dense[Int(offset)] == 0 ? nil : dense[Int(offset)] }
            return others.isEmpty ? nil : others[temporary]
        }
        @inlinable set {
            isEmpty = false
            let offset = first &- temporary
            if offset >= 0, offset < dense.count {
                dense[Int(offset)] = newValue ?? 0
            } else {
                others[temporary] = newValue
            }
        }
    }
}
