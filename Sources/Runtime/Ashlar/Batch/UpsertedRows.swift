import Containers

/// Which rows an insertion over known rows has written, so that one that is written twice counts once.
///
/// Its own rows are represented by their consecutive rowids; only the others take memory.
struct UpsertedRows {
    /// Rows that were in the store before.
    private var known = RowIDSet()
    /// The rowids of those that the transactions before inserted, in order.
    private var inserted: [ClosedRange<Int64>] = []
    /// The first rowid that the present transaction gives, and the last that it gave.
    private var first: Int64 = 0
    private var last: Int64?

    /// Begins a transaction whose new rows have rowids from one on.
    mutating func begin(at rowID: Int64) {
        if let last { inserted.append(first...last) }
        first = rowID
        last = nil
    }

    /// Notes the rows that a statement wrote, and gives the positions of those that no other did before, nor the statement
    /// itself. It had rowids from one on for new rows.
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

    /// Returns whether a transaction before inserted a row.
    private func isInserted(_ rowID: Int64) -> Bool {
        var (low, high) = (0, inserted.count)
        while low < high {
            let middle = (low + high) / 2
            if inserted[middle].upperBound < rowID { low = middle + 1 } else { high = middle }
        }
        return low < inserted.count && inserted[low].contains(rowID)
    }
}
