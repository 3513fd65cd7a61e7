/// Members of a range of owners that are met in the order of their own rowids, and are put in that of the owners.
struct ScannedMembers {
    private let first: Int64
    /// The owners' rowids from the first on; how many members each has, or -1 for one that is not asked for.
    private var counts: [Int32]
    /// The members, each with its owner's place in the range.
    private var found: [(member: Int64, owner: Int32)] = []
    /// The place of the owner whose member comes next.
    private var place: Int32 = 0

    /// - Parameter count: How many members there are.
    init(of owners: [ManagedObject], in range: OwnerRange, _ count: Int) {
        first = range.first
        counts = Array(repeating: range.hasGaps ? -1 : 0, count: Int(range.last - range.first) + 1)
        if range.hasGaps {
            for owner in owners { counts[Int(owner.record.rowID - first)] = 0 }
        }
        found.reserveCapacity(count)
    }

    /// Returns whether the members of an owner in the range are asked for; one that follows is the owner's.
    @inline(__always)
    mutating func asks(for owner: Int64) -> Bool {
        place = Int32(truncatingIfNeeded: owner &- first)
        return counts[Int(place)] >= 0
    }

    @inline(__always)
    mutating func append(_ member: Int64) {
        counts[Int(place)] &+= 1
        found.append((member, place))
    }

    /// The members of all owners; each owner's are in the order of their rowids.
    var stored: StoredMembers {
        var owners: [(rowID: Int64, end: Int)] = []
        owners.reserveCapacity(counts.count)
        // Where the next member of each owner belongs.
        var places = [Int32](repeating: 0, count: counts.count)
        var end = 0
        for (place, count) in counts.enumerated() where count > 0 {
            places[place] = Int32(truncatingIfNeeded: end)
            end += Int(count)
            owners.append((first + Int64(place), end))
        }
        let members = [Int64](unsafeUninitializedCapacity: end) { members, initialized in
            for (member, owner) in found {
                members[Int(places[Int(owner)])] = member
                places[Int(owner)] &+= 1
            }
            initialized = end
        }
        return StoredMembers(members, of: owners)
    }
}
