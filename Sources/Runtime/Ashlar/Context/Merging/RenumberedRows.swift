/// The rows of a container's stores that got other rowids since the container was opened.
struct RenumberedRows {
    /// The changes of rowids, in order.
    private(set) var changes: [(row: RowKey, rowID: Int64)] = []
    /// The present rowid of each renumbered row.
    private var last: [RowKey: Int64] = [:]
    /// The earlier rowids of each row, by its present one.
    private var earlier: [RowKey: [RowKey]] = [:]

    init(_ changes: [(row: RowKey, rowID: Int64)] = []) {
        for (row, rowID) in changes { append(row, rowID: rowID) }
    }

    /// The present rowid of a row; nil if it was never renumbered.
    subscript(row: RowKey) -> Int64? { last[row] }

    /// - Complexity: O(*m*) for a row that had *m* other rowids before.
    mutating func append(_ row: RowKey, rowID: Int64) {
        changes.append((row, rowID))
        let numbers = (earlier.removeValue(forKey: row) ?? []) + [row]
        for number in numbers { last[number] = rowID }
        earlier[RowKey(root: row.root, rowID: rowID), default: []] += numbers
    }
}
