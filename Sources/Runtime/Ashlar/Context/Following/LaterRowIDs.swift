/// The rowids that came after those that an undo may speak of: an object was saved, or came back after its deletion was
/// saved.
struct LaterRowIDs {
    private var rowIDs: [RowKey: Int64] = [:]

    init() {}

    /// Notes that an object of a row has another rowid from now on.
    mutating func note(_ row: RowKey, _ rowID: Int64) { rowIDs[row] = rowID }

    /// The rowid that the object of a rowid has now.
    func latest(_ rowID: Int64, _ root: UInt16) -> Int64 {
        var rowID = rowID
        while let later = rowIDs[RowKey(root: root, rowID: rowID)] { rowID = later }
        return rowID
    }
}
