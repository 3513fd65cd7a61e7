/// Rowids in an order, each once: the members of a relationship.
///
/// A list while there are few of them, or while nothing but its end changes. The first change elsewhere, and the first
/// question for a rowid, cuts a long list into chunks with an index of where each rowid is. From then on to find one, to read
/// a position, to insert, to remove and to move take a time in proportion to the logarithm of their number, and a change
/// shifts no more than a chunk.
package struct OrderedRowIDs {
    /// The most rowids that are looked for one by one.
    static let greatestList = 64

    private var list: [Int64]
    /// All of them, once the list was cut; the list is empty then.
    private var chunks: RowIDChunks?

    /// - Parameter rowIDs: Each of them once.
    @inline(__always)
    package init(_ rowIDs: [Int64] = []) {
        list = rowIDs
        chunks = nil
    }

    package var count: Int { chunks?.count ?? list.count }
    package var isEmpty: Bool { count == 0 }

    /// The rowids in their order. Takes a time in proportion to their number once they were changed.
    package var array: [Int64] { chunks?.array ?? list }

    /// Whether a closure returns true for all of them.
    @inline(__always)
    package func allSatisfy(_ predicate: (Int64) -> Bool) -> Bool {
        if chunks != nil { return array.allSatisfy(predicate) }
        for rowID in list where !predicate(rowID) { return false }
        return true
    }

    /// The rowid at a position, which must be one of the list's.
    package subscript(position: Int) -> Int64 { chunks?[position] ?? list[position] }

    /// The position of a rowid; nil where it is not there.
    package mutating func position(of rowID: Int64) -> Int? {
        if chunks == nil, list.count <= Self.greatestList { return list.position(of: rowID) }
        return cut().position(of: rowID)
    }

    package mutating func contains(_ rowID: Int64) -> Bool {
        if chunks == nil, list.count <= Self.greatestList { return list.position(of: rowID) != nil }
        return cut().contains(rowID)
    }

    /// Adds a rowid that is not there at the end.
    package mutating func append(_ rowID: Int64) {
        if chunks == nil { list.append(rowID) } else { cut().insert(rowID, at: count) }
    }

    /// Adds a rowid that is not there at a position, at most that of the end.
    package mutating func insert(_ rowID: Int64, at position: Int) {
        if chunks == nil, list.count <= Self.greatestList {
            list.insert(rowID, at: position)
        } else {
            cut().insert(rowID, at: position)
        }
    }

    /// Takes a rowid out; returns false where it is not there.
    @discardableResult
    package mutating func remove(_ rowID: Int64) -> Bool {
        if chunks == nil {
            // What was added last is often the first to be taken back.
            if let last = list.last, last == rowID {
                list.removeLast()
                return true
            }
            if list.count <= Self.greatestList {
                guard let position = list.position(of: rowID) else { return false }
                list.remove(at: position)
                return true
            }
        }
        return cut().remove(rowID)
    }

    /// Moves a rowid to a position, at most that of the last; returns false where it is not there.
    package mutating func move(_ rowID: Int64, to position: Int) -> Bool {
        if chunks != nil || list.count > Self.greatestList {
            let chunks = cut()
            if !chunks.remove(rowID) { return false }
            chunks.insert(rowID, at: min(position, chunks.count))
            return true
        }
        guard let old = list.position(of: rowID) else { return false }
        list.remove(at: old)
        list.insert(rowID, at: min(position, list.count))
        return true
    }

    /// The chunks, to be read or changed by this list alone.
    private mutating func cut() -> RowIDChunks {
        // Nothing else may hold them while they are asked whether they are this list's alone.
        if chunks != nil, !isKnownUniquelyReferenced(&chunks) { chunks = chunks.map { RowIDChunks($0.array) } }
        if let chunks { return chunks }
        let chunks = RowIDChunks(list)
        list = []
        self.chunks = chunks
        return chunks
    }

    /// How many chunks there are and the rowids of the longest: what a change costs at most.
    package var shape: (chunks: Int, longest: Int) { chunks?.shape ?? (list.isEmpty ? 0 : 1, list.count) }
}
