/// Rowids, each once, that are gathered and then wanted in their order, as a load does.
///
/// Inserting takes constant time on average, and ``sorted()`` none if rowids came in their order; else it sorts.
/// Neighbouring rowids lie side by side, as in a ``RowIDTable``, which has positions besides.
package struct RowIDSet {
    /// Stands in free slots; a rowid that is the same is kept apart.
    private static let free = Int64.min

    private var slots = ContiguousArray(repeating: free, count: 64)
    private var shift: UInt64 = 64 - 6
    private var hasFree = false
    /// The rowids, except for the one that is like a free slot. A load mostly inserts them in their order.
    private var rowIDs: [Int64] = []
    private var isSorted = true

    package init() {}

    /// The number of rowids.
    package var count: Int { rowIDs.count + (hasFree ? 1 : 0) }

    /// Adds a rowid, unless it is there.
    package mutating func insert(_ rowID: Int64) {
        if rowID == Self.free {
            hasFree = true
            return
        }
        if (rowIDs.count + 1) * 2 > slots.count { grow() }
        if !place(rowID) { return }
        if let last = rowIDs.last, last > rowID { isSorted = false }
        rowIDs.append(rowID)
    }

    /// Returns false if the rowid has a slot already.
    private mutating func place(_ rowID: Int64) -> Bool {
        var slot = RowIDHash.slot(of: rowID, shift, slots.count)
        while slots[slot] != Self.free {
            if slots[slot] == rowID { return false }
            slot = RowIDHash.slot(after: slot, slots.count)
        }
        slots[slot] = rowID
        return true
    }

    private mutating func grow() {
        slots = ContiguousArray(repeating: Self.free, count: slots.count * 2)
        shift -= 1
        for rowID in rowIDs { _ = place(rowID) }
    }

    /// The rowids in their order.
    package func sorted() -> [Int64] {
        let sorted = isSorted ? rowIDs : rowIDs.sorted()
        return hasFree ? [Self.free] + sorted : sorted
    }
}

/// Lists of rowids that statements take.
package enum RowIDList {
    /// Rowids in their order, which they mostly have.
    package static func sorted(_ rowIDs: [Int64]) -> [Int64] {
        var last = Int64.min
        for rowID in rowIDs {
            if rowID < last { return rowIDs.sorted() }
            last = rowID
        }
        return rowIDs
    }

    /// A JSON array, which serves for a list of any length.
    package static func json(_ rowIDs: [Int64]) -> String {
        String(unsafeUninitializedCapacity: rowIDs.count * 21 + 2) { text in
            guard let start = text.baseAddress else { return 0 }
            let (minus, comma, zero) = (UInt8(ascii: "-"), UInt8(ascii: ","), UInt8(ascii: "0"))
            start[0] = UInt8(ascii: "[")
            var count = 1
            for rowID in rowIDs {
                if count > 1 {
                    start[count] = comma
                    count += 1
                }
                if rowID < 0 {
                    start[count] = minus
                    count += 1
                }
                var length = 1
                var rest = rowID.magnitude
                while rest >= 10 {
                    rest /= 10
                    length += 1
                }
                rest = rowID.magnitude
                var position = count + length
                count = position
                repeat {
                    position -= 1
                    start[position] = zero &+ UInt8(truncatingIfNeeded: rest % 10)
                    rest /= 10
                } while rest > 0
            }
            start[count] = UInt8(ascii: "]")
            return count + 1
        }
    }
}
