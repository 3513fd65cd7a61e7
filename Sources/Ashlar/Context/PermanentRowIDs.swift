/// The rowids that a save gave to objects with temporary ones.
///
/// Objects that are made one after the other have temporary rowids in a row, so that an array in their order serves
/// where a dictionary would miss the cache at every step.
struct PermanentRowIDs {
    /// The temporary rowid at the array's start; the next ones are less.
    private let first: Int64
    /// 0 where there is none.
    private var dense: ContiguousArray<Int64> = []
    private var others: [Int64: Int64] = [:]
    private(set) var isEmpty = true

    init() { first = 0 }

    /// Makes room for the rowids of objects.
    init(for objects: [ManagedObject]) {
        var greatest = objects.first?.record.rowID ?? 0
        var least = greatest
        var position = 0
        while position < objects.count {
            let rowID = objects[position].record.rowID
            if rowID > greatest { greatest = rowID }
            if rowID < least { least = rowID }
            position &+= 1
        }
        first = greatest
        let span = greatest - least + 1
        if objects.count > 0, span <= 4 * objects.count { dense = ContiguousArray(repeating: 0, count: Int(span)) }
    }

    subscript(temporary: Int64) -> Int64? {
        get {
            let offset = first &- temporary
            if offset >= 0, offset < dense.count { return dense[Int(offset)] == 0 ? nil : dense[Int(offset)] }
            return others.isEmpty ? nil : others[temporary]
        }
        set {
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
