/// What an object's relationships hold in memory, beyond the foreign keys among its values.
///
/// In a context the members of a relationship are rowids, so that objects which refer to each other do not keep each
/// other alive. Only objects in no context hold each other directly, until one of them is inserted.
@usableFromInline
final class RelationshipLinks {
    /// The members of relationships that were loaded, by the relationships' numbers.
    var members = RelationshipTable<[Int64]>()
    /// The context's count of disappearances when the members of a relationship were last seen to exist.
    var checked = RelationshipTable<Int>()
    /// What an object in no context refers to.
    var objects = RelationshipTable<[ManagedObject]>()

    /// Takes over the members that the store holds, with the pending changes, of which objects may be gone.
    func load(_ stored: [Int64], _ pending: PendingLinks?, _ number: Int) {
        members[number] = pending?.applied(to: stored) ?? stored
        if !checked.isEmpty { checked[number] = nil }
    }
}

/// A row of a table, by the number of its root entity.
struct RowKey: Hashable {
    var root: UInt16
    var rowID: Int64

    func hash(into hasher: inout Hasher) { hasher.combine(rowID ^ Int64(root) &<< 48) }
}

/// A relationship of one object.
struct LinkKey: Hashable {
    var root: UInt16
    var rowID: Int64
    var relationship: Int

    func hash(into hasher: inout Hasher) {
        // One number rather than three, of which the others are small.
        hasher.combine(rowID ^ Int64(root) &<< 48 ^ Int64(truncatingIfNeeded: relationship) &<< 40)
    }
}

extension LinkKey {
    init(_ object: ManagedObject, _ relationship: Int) {
        self.init(root: object.entity.number.root, rowID: object.record.rowID, relationship: relationship)
    }

    init(_ identifier: PersistentIdentifier, _ relationship: Int) {
        self.init(root: identifier.number.root, rowID: identifier.rowID, relationship: relationship)
    }
}

/// The members that were added to and removed from a relationship since the last save, in the order of the additions.
struct PendingLinks {
    var relationship: RelationshipDescription
    private(set) var added: [Int64] = []
    private(set) var removed: Set<Int64> = []
    private var addedSet: Set<Int64> = []
    /// Members of an ordered relationship that were taken out and put back, hence at its end.
    private var moved: Set<Int64> = []

    init(_ relationship: RelationshipDescription) {
        self.relationship = relationship
    }

    mutating func add(_ rowID: Int64) {
        // Whether the store has it is not known here, so that it counts as added again.
        if !removed.isEmpty, removed.remove(rowID) != nil, relationship.isOrdered { moved.insert(rowID) }
        if addedSet.insert(rowID).inserted { added.append(rowID) }
    }

    mutating func remove(_ rowID: Int64) {
        if !addedSet.isEmpty, addedSet.remove(rowID) != nil {
            if added.last == rowID { added.removeLast() } else { added.removeAll { $0 == rowID } }
        }
        removed.insert(rowID)
    }

    /// Whether nothing was added or removed that is not as before.
    var isEmpty: Bool { added.isEmpty && removed.isEmpty }

    /// The same changes, with the rowids that members got since.
    func renumbered(_ later: (Int64) -> Int64) -> PendingLinks {
        var result = self
        result.added = added.map(later)
        result.removed = Set(removed.map(later))
        result.addedSet = Set(addedSet.map(later))
        result.moved = Set(moved.map(later))
        return result
    }

    /// These changes, and those of an object that turned out to be the same.
    func joined(with other: PendingLinks) -> PendingLinks {
        var result = self
        for rowID in other.removed where !addedSet.contains(rowID) { result.removed.insert(rowID) }
        for rowID in other.added { result.add(rowID) }
        return result
    }

    /// Forgets what was done with a member.
    mutating func forget(_ rowID: Int64) {
        if addedSet.remove(rowID) != nil { added.removeAll { $0 == rowID } }
        removed.remove(rowID)
        moved.remove(rowID)
    }

    /// Applies the changes to the members that the store holds.
    func applied(to stored: [Int64]) -> [Int64] {
        var result = stored
        if !removed.isEmpty || !moved.isEmpty {
            result.removeAll { removed.contains($0) || moved.contains($0) }
        }
        if added.isEmpty { return result }
        let known = Set(result)
        result += added.filter { !known.contains($0) }
        return result
    }
}
