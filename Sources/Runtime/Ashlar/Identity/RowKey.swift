/// The key of a row: the number of the root entity whose table holds it, and its rowid.
struct RowKey: Hashable {
    var root: UInt16
    var rowID: Int64

    func hash(into hasher: inout Hasher) { hasher.combine(rowID ^ Int64(root) &<< 48) }
}
