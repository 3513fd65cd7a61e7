/// The rows of a container's stores that got other numbers since it was opened.
struct RenumberedRows {
    /// Each change of a number, in order.
    private(set) var changes: [(row: RowKey, rowID: Int64)] = []
    /// The last number of each row that had another.
    private var last: [RowKey: Int64] = [:]
    /// The earlier numbers of each row, by its last.
    private var earlier: [RowKey: [RowKey]] = [:]

    init(_ changes: [(row: RowKey, rowID: Int64)] = []) {
        for (row, rowID) in changes { append(row, rowID: rowID) }
    }

    /// The number that a row has by now; nil if it never had another.
    subscript(row: RowKey) -> Int64? { last[row] }

    /// - Complexity: O(*m*) for a row that had *m* other numbers before.
    mutating func append(_ row: RowKey, rowID: Int64) {
        changes.append((row, rowID))
        let numbers = (earlier.removeValue(forKey: row) ?? []) + [row]
        for number in numbers { last[number] = rowID }
        earlier[RowKey(root: row.root, rowID: rowID), default: []] += numbers
    }
}
