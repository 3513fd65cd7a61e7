/// The rowids that a load gathers, each once.
///
/// Neighbouring rowids share a cache line, as in an ``IdentityMap``.
struct RowIDSet {
    /// Stands in free slots; a rowid that is the same is kept apart.
    private static let free = Int64.min

    private var slots = ContiguousArray(repeating: free, count: 64)
    private var shift: UInt64 = 64 - 6
    private var hasFree = false
    private(set) var count = 0

    mutating func insert(_ rowID: Int64) {
        if rowID == Self.free {
            if !hasFree { count += 1 }
            hasFree = true
            return
        }
        if (count + 1) * 2 > slots.count { grow() }
        place(rowID)
    }

    private mutating func place(_ rowID: Int64) {
        let bits = UInt64(bitPattern: rowID)
        let hash = ((bits >> 3) &* 0x9E37_79B9_7F4A_7C15) >> shift
        var slot = Int(((hash & ~7) | ((bits ^ hash) & 7)) & UInt64(slots.count - 1))
        while slots[slot] != Self.free {
            if slots[slot] == rowID { return }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = rowID
        count += 1
    }

    private mutating func grow() {
        let old = slots
        slots = ContiguousArray(repeating: Self.free, count: old.count * 2)
        shift -= 1
        count = hasFree ? 1 : 0
        for rowID in old where rowID != Self.free { place(rowID) }
    }

    func sorted() -> [Int64] {
        (hasFree ? [Self.free] : []) + slots.filter { $0 != Self.free }.sorted()
    }
}

/// Rowids as the text that a statement takes for a list of any length.
enum RowIDList {
    /// A JSON array.
    static func json(_ rowIDs: [Int64]) -> String {
        String(unsafeUninitializedCapacity: rowIDs.count * 21 + 2) { text in
            var count = 0
            text[count] = UInt8(ascii: "[")
            count += 1
            for rowID in rowIDs {
                if count > 1 {
                    text[count] = UInt8(ascii: ",")
                    count += 1
                }
                if rowID < 0 {
                    text[count] = UInt8(ascii: "-")
                    count += 1
                }
                let first = count
                var rest = rowID.magnitude
                repeat {
                    let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                    text[count] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                    count += 1
                    rest = quotient
                } while rest > 0
                text[first..<count].reverse()
            }
            text[count] = UInt8(ascii: "]")
            return count + 1
        }
    }
}
