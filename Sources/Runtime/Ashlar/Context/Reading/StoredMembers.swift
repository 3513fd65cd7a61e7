/// The members that the store has of several owners.
struct StoredMembers {
    /// The members of all owners, one owner's after the other's.
    private(set) var members: [Int64] = []
    /// The owners that have any, in the order of their rowids, each with the end of its members.
    private(set) var owners: [(rowID: Int64, end: Int)] = []
    /// The last owner whose members were read to their end.
    private(set) var last = Int64.max
    /// The owner whose members are read.
    private var reached = Int64.min

    init() {}

    /// Makes what holds all members of some owners, which are in the order of their rowids.
    init(_ members: [Int64], of owners: [(rowID: Int64, end: Int)]) { (self.members, self.owners) = (members, owners) }

    /// Makes room for two members of each of some owners.
    mutating func reserve(_ ownerCount: Int) {
        members.reserveCapacity(ownerCount * 2)
        owners.reserveCapacity(ownerCount)
    }

    /// Says whose members follow.
    @inline(__always)
    mutating func begin(_ owner: Int64) {
        if reached == owner { return }
        owners.append((owner, members.count))
        reached = owner
    }

    @inline(__always)
    mutating func append(_ member: Int64) {
        members.append(member)
        owners[owners.count - 1].end = members.count
    }

    /// Ends before an owner, where others have members and all of theirs were read.
    mutating func isPast(_ owner: Int64) -> Bool {
        if reached == owner || reached == .min { return false }
        last = reached
        return true
    }
}

/// Owners whose rowids follow each other, as those of one fetch mostly do: their members lie side by side in an index, so that
/// nothing has to be looked for.
struct OwnerRange {
    let first: Int64
    let last: Int64
    /// Whether it has others between them, whose members are passed over.
    let hasGaps: Bool

    /// Nil where the owners do not lie close enough.
    ///
    /// - Parameter mayHaveGaps: Whether there may be a few others between them; nobody knows how many members these have.
    init?(_ owners: [ManagedObject], mayHaveGaps: Bool) {
        guard let first = owners.first?.record.rowID, let last = owners.last?.record.rowID else { return nil }
        (self.first, self.last) = (first, last)
        // Both are numbers of rows, from 1 on.
        let others = last - first + 1 - Int64(owners.count)
        hasGaps = others > 0
        if others < 0 || others > (mayHaveGaps ? Int64(owners.count) / 8 : 0) { return nil }
    }
}
