/// The rowids that replaced those that undo entries may contain: an object was saved, or came back after its deletion
/// was saved.
struct LaterRowIDs {
    private var rowIDs: [RowKey: Int64] = [:]

    init() {}

    /// Records the new rowid of an object.
    mutating func note(_ row: RowKey, _ rowID: Int64) { rowIDs[row] = rowID }

    /// Returns the present rowid of the object that once had a rowid.
    func latest(_ rowID: Int64, _ root: UInt16) -> Int64 {
        var rowID = rowID
        while let later = rowIDs[RowKey(root: root, rowID: rowID)] { rowID = later }
        return rowID
    }
}
