/// Rowids in an order, each once: the members of a relationship.
///
/// They are a list while there are few of them, or while only the end changes. The first change elsewhere, and the
/// first search for a rowid, cuts a long list into chunks with an index of the rowids' places. From then on, finding,
/// reading, inserting, removing and moving take a time in proportion to the logarithm of their number. A change shifts
/// at most one chunk.
@frozen @usableFromInline
package struct OrderedRowIDs {
    /// The most rowids that are looked for one by one.
    static let greatestList = 128

    /// The rowids; for a part, among those of others.
    @usableFromInline var list: [Int64]
    /// Where those of this one begin in the list.
    @usableFromInline var start: Int32 = 0
    /// The number of this one's rowids in the list, from the start on; negative for the whole list. A change makes a
    /// whole list of a part.
    @usableFromInline var length: Int32 = -1
    /// All of them, once the list was cut; the list is empty then.
    @usableFromInline var chunks: RowIDChunks?

    /// - Parameter rowIDs: Each of them once.
    @inlinable @inline(__always)
    package init(_ rowIDs: [Int64] = []) {
        list = rowIDs
        chunks = nil
    }

    /// Makes a list of a part of another one. The storage is shared until this one changes: rowids that were read for
    /// many owners at once are in one list.
    @inlinable @inline(__always)
    package init(_ rowIDs: [Int64], _ part: Range<Int>) {
        // Without any nothing has to be held.
        list = part.isEmpty ? [] : rowIDs
        chunks = nil
        if part.isEmpty || part.count == rowIDs.count { return }
        // Parts beyond the range of these numbers are copied.
        if let start = Int32(exactly: part.lowerBound), let length = Int32(exactly: part.count) {
            (self.start, self.length) = (start, length)
        } else {
            list = Array(rowIDs[part])
        }
    }

    @inlinable package var count: Int {
        // To compare with nil counts no reference.
        if chunks != nil { return cutCount }
        return length < 0 ? list.count : Int(length)
    }

    @usableFromInline var cutCount: Int { chunks?.count ?? 0 }

    package var isEmpty: Bool { count == 0 }

    /// The rowids in their order. Takes a time in proportion to their number if they are chunks, or a part of a list.
    package var array: [Int64] {
        if let chunks { return chunks.array }
        return length < 0 ? list : Array(list[Int(start)..<Int(start) + Int(length)])
    }

    /// Returns whether a closure returns true for all of them.
    @inline(__always)
    package func allSatisfy(_ predicate: (Int64) -> Bool) -> Bool {
        if chunks != nil { return array.allSatisfy(predicate) }
        let (start, count) = (Int(start), count)
        return list.withUnsafeBufferPointer { list in
            var position = 0
            while position < count {
                if !predicate(list[start &+ position]) { return false }
                position &+= 1
            }
            return true
        }
    }

    /// The rowid at a position, which must be one of the list's.
    @inlinable package subscript(position: Int) -> Int64 {
        if chunks != nil { return cutRowID(at: position) }
        // Beside a part, the list has rowids of others, which must not be read here.
        precondition(length < 0 || position >= 0 && position < Int(length), "a position that is not in the list")
        return list[Int(start) &+ position]
    }

    @usableFromInline func cutRowID(at position: Int) -> Int64 { chunks.unsafelyUnwrapped[position] }

    /// The position of a rowid in a short list.
    private func listedPosition(of rowID: Int64) -> Int? {
        let (start, count) = (Int(start), count)
        return list.withUnsafeBufferPointer { list in
            var position = 0
            while position < count {
                if list[start &+ position] == rowID { return position }
                position &+= 1
            }
            return nil
        }
    }

    /// The position of a rowid; nil if it is not there.
    package mutating func position(of rowID: Int64) -> Int? {
        if chunks == nil, count <= Self.greatestList { return listedPosition(of: rowID) }
        return cut().position(of: rowID)
    }

    package mutating func contains(_ rowID: Int64) -> Bool {
        if chunks == nil, count <= Self.greatestList { return listedPosition(of: rowID) != nil }
        return cut().contains(rowID)
    }

    /// Adds a rowid that is not there at the end.
    package mutating func append(_ rowID: Int64) {
        if chunks != nil { return cut().insert(rowID, at: count) }
        takeList()
        list.append(rowID)
    }

    /// Adds a rowid that is not there at a position, at most that of the end.
    package mutating func insert(_ rowID: Int64, at position: Int) {
        if chunks != nil || count > Self.greatestList { return cut().insert(rowID, at: position) }
        takeList()
        list.insert(rowID, at: position)
    }

    /// Takes a rowid out; returns false if it is not there.
    @discardableResult
    package mutating func remove(_ rowID: Int64) -> Bool {
        if chunks != nil { return cut().remove(rowID) }
        takeList()
        // The rowid that was added last is often removed first.
        if let last = list.last, last == rowID {
            list.removeLast()
            return true
        }
        if list.count > Self.greatestList { return cut().remove(rowID) }
        guard let position = listedPosition(of: rowID) else { return false }
        list.remove(at: position)
        return true
    }

    /// Moves a rowid to a position, at most that of the last; returns false if it is not there.
    package mutating func move(_ rowID: Int64, to position: Int) -> Bool {
        if chunks != nil || count > Self.greatestList {
            let chunks = cut()
            if !chunks.remove(rowID) { return false }
            chunks.insert(rowID, at: min(position, chunks.count))
            return true
        }
        takeList()
        guard let old = listedPosition(of: rowID) else { return false }
        let new = min(position, list.count - 1)
        list.withUnsafeMutableBufferPointer { list in
            let step = old < new ? 1 : -1
            var place = old
            while place != new {
                list[place] = list[place &+ step]
                place &+= step
            }
            list[new] = rowID
        }
        return true
    }

    /// Makes a list of its own of a part.
    @inline(__always)
    private mutating func takeList() {
        if length < 0 { return }
        list = array
        (start, length) = (0, -1)
    }

    /// The chunks, to be read or changed by this list alone.
    private mutating func cut() -> RowIDChunks {
        // Nothing else may hold them while they are asked whether they are this list's alone.
        if chunks != nil, !isKnownUniquelyReferenced(&chunks) { chunks = chunks.map { RowIDChunks($0.array) } }
        if let chunks { return chunks }
        let chunks = RowIDChunks(array)
        list = []
        (start, length) = (0, -1)
        self.chunks = chunks
        return chunks
    }

    /// The number of chunks and the length of the longest, which limit the cost of a change.
    package var shape: (chunks: Int, longest: Int) { chunks?.shape ?? (isEmpty ? 0 : 1, count) }
}
