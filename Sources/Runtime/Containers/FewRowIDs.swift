/// A set of rowids that are mostly few. Searching a short list takes less time than hashing.
///
/// Up to ``greatestList`` of them, everything takes a time in proportion to their number; with more, that of a `Set`.
package struct FewRowIDs {
    /// The most rowids that are looked for one by one.
    package static let greatestList = 16

    private var list: [Int64] = []
    /// All of them, once there were too many for the list; until none is left.
    private var set: Set<Int64> = []

    package init(_ rowIDs: some Sequence<Int64> = []) {
        for rowID in rowIDs { insert(rowID) }
    }

    package var isEmpty: Bool { list.isEmpty && set.isEmpty }

    /// The rowids in their order.
    package func sorted() -> [Int64] { set.isEmpty ? list.sorted() : set.sorted() }

    package func contains(_ rowID: Int64) -> Bool {
        set.isEmpty ? list.position(of: rowID) != nil : set.contains(rowID)
    }

    package mutating func insert(_ rowID: Int64) {
        if !set.isEmpty {
            set.insert(rowID)
        } else if list.position(of: rowID) == nil {
            list.append(rowID)
            if list.count > Self.greatestList {
                set = Set(list)
                list = []
            }
        }
    }

    /// Returns false if the rowid is not there.
    @discardableResult
    package mutating func remove(_ rowID: Int64) -> Bool {
        if !set.isEmpty { return set.remove(rowID) != nil }
        guard let position = list.position(of: rowID) else { return false }
        list.remove(at: position)
        return true
    }
}

extension [Int64] {
    /// The rowids, each at its first place only.
    package func withoutRepeats() -> [Int64] {
        var seen: Set<Int64> = []
        return filter { seen.insert($0).inserted }
    }

    /// The position of a rowid, from the first on.
    package func position(of rowID: Int64) -> Int? {
        var position = 0
        while position < count {
            if self[position] == rowID { return position }
            position &+= 1
        }
        return nil
    }
}
