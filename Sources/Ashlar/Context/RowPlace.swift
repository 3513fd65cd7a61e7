/// Where a row lies in the store: its table, by the number of the root entity, and its rowid.
struct RowPlace: Comparable {
    var root: UInt16
    var rowID: Int64

    init(root: UInt16, rowID: Int64) {
        self.root = root
        self.rowID = rowID
    }

    init(of object: ManagedObject) {
        self.init(root: object.entity.number.root, rowID: object.record.rowID)
    }

    static func < (left: RowPlace, right: RowPlace) -> Bool {
        left.root == right.root ? left.rowID < right.rowID : left.root < right.root
    }

    /// Elements in the order of their rows. Each is asked for its place once: to look at objects in each comparison, all
    /// over the memory, took longer than to write them.
    static func sort<Elements: RandomAccessCollection>(
        _ elements: Elements, by place: (Elements.Element) -> RowPlace
    ) -> [Elements.Element] where Elements.Index == Int {
        let places = elements.map(place)
        let isSorted = zip(places, places.dropFirst()).allSatisfy { $0 <= $1 }
        if isSorted { return Array(elements) }
        return places.indices.sorted { places[$0] == places[$1] ? $0 < $1 : places[$0] < places[$1] }
            .map { elements[elements.startIndex + $0] }
    }
}
