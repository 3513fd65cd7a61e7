/// The stored members of several owners.
struct StoredMembers {
    /// The members of all owners, one owner after the other.
    private(set) var members: [Int64] = []
    /// The owners that have members, sorted by rowid, each with the end position of its members.
    private(set) var owners: [(rowID: Int64, end: Int)] = []
    /// The last owner whose members were read completely.
    private(set) var last = Int64.max
    /// The owner whose members are being read.
    private var reached = Int64.min

    init() {}

    /// Creates the members of owners that are sorted by rowid.
    init(_ members: [Int64], of owners: [(rowID: Int64, end: Int)]) { (self.members, self.owners) = (members, owners) }

    /// Makes room for two members of each owner.
    mutating func reserve(_ ownerCount: Int) {
        members.reserveCapacity(ownerCount * 2)
        owners.reserveCapacity(ownerCount)
    }

    /// Begins the members of an owner.
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

    /// Returns whether an owner comes after others whose members are complete. If so, the list ends before it.
    mutating func isPast(_ owner: Int64) -> Bool {
        if reached == owner || reached == .min { return false }
        last = reached
        return true
    }
}

/// Owners with consecutive rowids, as those of one fetch usually have. Their members are adjacent in an index, so no
/// lookups are needed.
struct OwnerRange {
    let first: Int64
    let last: Int64
    /// Whether there are other rowids between the owners, whose members are skipped.
    let hasGaps: Bool

    /// Returns nil if the owners are too far apart.
    ///
    /// - Parameter mayHaveGaps: Whether a few other rowids may be between the owners. Their number of members is
    ///   unknown.
    init?(_ owners: [ManagedObject], mayHaveGaps: Bool) {
        guard let first = owners.first?.record.rowID, let last = owners.last?.record.rowID else { return nil }
        (self.first, self.last) = (first, last)
        // Both are rowids of rows, which begin at 1.
        let others = last - first + 1 - Int64(owners.count)
        hasGaps = others > 0
        if others < 0 || others > (mayHaveGaps ? Int64(owners.count) / 8 : 0) { return nil }
    }
}
