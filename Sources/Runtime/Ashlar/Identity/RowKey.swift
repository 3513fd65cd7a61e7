/// A row of a table, by the number of its root entity.
struct RowKey: Hashable {
    var root: UInt16
    var rowID: Int64

    func hash(into hasher: inout Hasher) { hasher.combine(rowID ^ Int64(root) &<< 48) }
}
