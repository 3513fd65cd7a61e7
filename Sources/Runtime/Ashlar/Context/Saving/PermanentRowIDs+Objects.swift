import Containers

extension PermanentRowIDs {
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
        self.init(least: least, greatest: greatest, count: objects.count)
    }
}
