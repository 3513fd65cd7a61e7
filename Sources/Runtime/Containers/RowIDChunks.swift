/// Rowids in an order, in chunks of some hundred, with the chunk of each rowid and the sums of the chunks' lengths.
///
/// While a property is accessed, no code runs that could access it too.
@usableFromInline
final class RowIDChunks {
    /// The most rowids of a chunk, which is then divided in two.
    private static let greatestChunk = 512

    /// The chunks, in the order in which they were made.
    @exclusivity(unchecked) private var chunks: [[Int64]] = []
    /// The chunks that are not empty, in the order of their rowids.
    @exclusivity(unchecked) private var order: [Int] = []
    /// The place of each chunk in the order.
    @exclusivity(unchecked) private var ranks: [Int] = []
    /// A binary indexed tree: the element at *i* is the sum of the lengths of as many chunks up to the *i*th one as the
    /// least bit of *i* says. The first is not used.
    @exclusivity(unchecked) private var sums: [Int] = [0]
    /// The chunk of each rowid.
    @exclusivity(unchecked) private var table: RowIDTable
    @exclusivity(unchecked) private(set) var count: Int

    init(_ rowIDs: [Int64]) {
        count = rowIDs.count
        table = RowIDTable(minimumCapacity: (rowIDs.count + 1) * 4)
        // Half full, so that the first insertions divide none.
        let length = Self.greatestChunk / 2
        var start = 0
        while start < rowIDs.count {
            let end = min(start + length, rowIDs.count)
            for position in start..<end { table.insert(rowIDs[position], at: chunks.count) }
            order.append(chunks.count)
            ranks.append(chunks.count)
            chunks.append(Array(rowIDs[start..<end]))
            start = end
        }
        addUp()
    }

    var shape: (chunks: Int, longest: Int) { (order.count, order.map { chunks[$0].count }.max() ?? 0) }

    var array: [Int64] {
        var result: [Int64] = []
        result.reserveCapacity(count)
        for chunk in order { result += chunks[chunk] }
        return result
    }

    subscript(position: Int) -> Int64 {
        let (rank, offset) = place(of: position)
        return chunks[order[rank]][offset]
    }

    func contains(_ rowID: Int64) -> Bool { table.position(of: rowID) >= 0 }

    func position(of rowID: Int64) -> Int? {
        let chunk = table.position(of: rowID)
        guard chunk >= 0, let offset = chunks[chunk].position(of: rowID) else { return nil }
        var position = offset
        var next = ranks[chunk]
        while next > 0 {
            position += sums[next]
            next &= next - 1
        }
        return position
    }

    func insert(_ rowID: Int64, at position: Int) {
        if order.isEmpty {
            order = [chunks.count]
            ranks.append(0)
            chunks.append([])
            addUp()
        }
        // At the end, the last chunk takes it, although it does not have this position yet.
        let (rank, offset) =
            position == count ? (order.count - 1, chunks[order[order.count - 1]].count) : place(of: position)
        let chunk = order[rank]
        makeRoom(1)
        table.insert(rowID, at: chunk)
        chunks[chunk].insert(rowID, at: offset)
        count += 1
        add(1, at: rank)
        if chunks[chunk].count > Self.greatestChunk { divide(chunk) }
    }

    func remove(_ rowID: Int64) -> Bool {
        let chunk = table.remove(rowID)
        guard chunk >= 0, let offset = chunks[chunk].position(of: rowID) else { return false }
        chunks[chunk].remove(at: offset)
        count -= 1
        add(-1, at: ranks[chunk])
        if chunks[chunk].isEmpty {
            order.remove(at: ranks[chunk])
            chunks[chunk] = []
            addUp()
        }
        return true
    }

    /// The chunk, by its place in the order, and the offset there of a position.
    private func place(of position: Int) -> (rank: Int, offset: Int) {
        precondition(position >= 0 && position < count, "A position is not one of the \(count) members'.")
        var (rank, rest) = (0, position)
        var step = sums.count - 1 == 0 ? 0 : 1 << (Int.bitWidth - 1 - (sums.count - 1).leadingZeroBitCount)
        while step > 0 {
            let next = rank + step
            if next < sums.count, sums[next] <= rest {
                rank = next
                rest -= sums[next]
            }
            step >>= 1
        }
        return (rank, rest)
    }

    private func add(_ difference: Int, at rank: Int) {
        var next = rank + 1
        while next < sums.count {
            sums[next] += difference
            next += next & -next
        }
    }

    /// Moves the second half of a chunk into a new chunk. Half a chunk of insertions precedes each division, so its
    /// cost in proportion to the chunks does not matter.
    private func divide(_ chunk: Int) {
        let half = chunks[chunk].count / 2
        let moved = Array(chunks[chunk][half...])
        chunks[chunk].removeSubrange(half...)
        makeRoom(moved.count)
        for rowID in moved {
            _ = table.remove(rowID)
            table.insert(rowID, at: chunks.count)
        }
        order.insert(chunks.count, at: ranks[chunk] + 1)
        ranks.append(0)
        chunks.append(moved)
        addUp()
    }

    /// Numbers the chunks again, and adds up their lengths.
    private func addUp() {
        sums = [Int](repeating: 0, count: order.count + 1)
        for rank in order.indices {
            ranks[order[rank]] = rank
            sums[rank + 1] += chunks[order[rank]].count
            let above = (rank + 1) + ((rank + 1) & -(rank + 1))
            if above < sums.count { sums[above] += sums[rank + 1] }
        }
    }

    private func makeRoom(_ more: Int) {
        if !table.hasRoom(for: more) { table.resize(minimumCapacity: (count + more) * 4) }
    }
}
