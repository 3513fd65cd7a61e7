/// Members of a range of owners that are read in the order of their own rowids, and then grouped by owner.
struct ScannedMembers {
    private let first: Int64
    /// The number of members of each rowid in the range, or -1 for rowids that are not requested.
    private var counts: [Int32]
    /// The members, each with its owner's position in the range.
    private var found: [(member: Int64, owner: Int32)] = []
    /// The position of the owner whose member comes next.
    private var place: Int32 = 0

    /// - Parameter count: The number of members.
    init(of owners: [ManagedObject], in range: OwnerRange, _ count: Int) {
        first = range.first
        counts = Array(repeating: range.hasGaps ? -1 : 0, count: Int(range.last - range.first) + 1)
        if range.hasGaps {
            for owner in owners { counts[Int(owner.record.rowID - first)] = 0 }
        }
        found.reserveCapacity(count)
    }

    /// Returns whether an owner in the range is requested. The next member belongs to this owner.
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

    /// The members of all owners, with each owner's members sorted by rowid.
    var stored: StoredMembers {
        var owners: [(rowID: Int64, end: Int)] = []
        owners.reserveCapacity(counts.count)
        // The positions of each owner's next member.
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
