import Containers

/// The rows that an insertion with updates has written, so that a row written twice is counted once.
///
/// The rows that it inserts itself are represented by their consecutive rowids. Only the others take memory.
struct UpsertedRows {
    /// The rows that were in the store before.
    private var known = RowIDSet()
    /// The rowids that earlier transactions inserted, in order.
    private var inserted: [ClosedRange<Int64>] = []
    /// The first rowid of the current transaction, and the last one that it has assigned.
    private var first: Int64 = 0
    private var last: Int64?

    /// Begins a transaction whose new rows have rowids that begin at a number.
    mutating func begin(at rowID: Int64) {
        if let last { inserted.append(first...last) }
        first = rowID
        last = nil
    }

    /// Notes the rows that a statement wrote, and returns the positions of those written for the first time. The
    /// statement's new rows have rowids that begin at a number.
    mutating func note(_ rowIDs: [Int64], newFrom next: Int64) -> [Int] {
        var new: Set<Int64> = []
        let positions = rowIDs.indices.filter { index in
            let rowID = rowIDs[index]
            if rowID >= next { return new.insert(rowID).inserted }
            if rowID >= first || isInserted(rowID) { return false }
            let count = known.count
            known.insert(rowID)
            return known.count > count
        }
        if let greatest = new.max() { last = greatest }
        return positions
    }

    /// Returns whether an earlier transaction inserted a row.
    private func isInserted(_ rowID: Int64) -> Bool {
        var (low, high) = (0, inserted.count)
        while low < high {
            let middle = (low + high) / 2
            if inserted[middle].upperBound < rowID { low = middle + 1 } else { high = middle }
        }
        return low < inserted.count && inserted[low].contains(rowID)
    }
}
