/// Rows in the order of the store, table by table.
extension RowKey: Comparable {
    init(_ object: ManagedObject) {
        self.init(root: object.rootNumber, rowID: object.record.rowID)
    }

    static func < (left: RowKey, right: RowKey) -> Bool {
        left.root == right.root ? left.rowID < right.rowID : left.root < right.root
    }

    /// Returns elements sorted by their rows. The row of each element is read once: reading objects in each comparison,
    /// scattered over the memory, took longer than writing them.
    static func sort<Elements: RandomAccessCollection>(
        _ elements: Elements, by row: (Elements.Element) -> RowKey
    ) -> [Elements.Element] where Elements.Index == Int {
        let rows = elements.map(row)
        if isSorted(rows) { return Array(elements) }
        return rows.indices.sorted { rows[$0] == rows[$1] ? $0 < $1 : rows[$0] < rows[$1] }
            .map { elements[elements.startIndex + $0] }
    }

    private static func isSorted(_ rows: [RowKey]) -> Bool {
        rows.withUnsafeBufferPointer { rows in
            guard var last = rows.baseAddress?.pointee else { return true }
            var position = 1
            while position < rows.count {
                let next = rows[position]
                if next < last { return false }
                last = next
                position += 1
            }
            return true
        }
    }
}
