import Containers

/// An ordered relationship whose order is to be written.
struct Reordering {
    var owner: ManagedObject
    /// The model retains it.
    unowned(unsafe) let relationship: RelationshipDescription
    /// Whether existing members are in another order, and not only added or removed.
    var isRearranged: Bool
}

/// The members that were added to and removed from a relationship since the last save.
///
/// No property access here calls code that could access the property again. The context's own checks keep two threads
/// apart. Checking each access took a fortieth of the instructions of an insertion.
final class PendingLinks {
    // See ``PendingChanges`` for the total cost of checked accesses.

    let relationship: RelationshipDescription
    @exclusivity(unchecked) private var additions = OrderedRowIDs()
    @exclusivity(unchecked) private(set) var removed = FewRowIDs()
    /// Members of an ordered relationship that were removed and added again, and are therefore at its end.
    @exclusivity(unchecked) private var moved: Set<Int64> = []

    init(_ relationship: RelationshipDescription) {
        self.relationship = relationship
    }

    /// Whether existing members are in another order.
    var isRearranged: Bool { !moved.isEmpty }

    func add(_ rowID: Int64) {
        // It is unknown here whether the store has the member, so it counts as added again.
        if !removed.isEmpty, removed.remove(rowID), relationship.isOrdered { moved.insert(rowID) }
        if !additions.contains(rowID) { additions.append(rowID) }
    }

    /// - Parameter mayBeStored: Whether the store, or the parent context, may have the member. It does not have members
    ///   that were added since and never saved, so there is nothing to remove.
    func remove(_ rowID: Int64, mayBeStored: Bool = true) {
        if additions.remove(rowID), !mayBeStored { return }
        removed.insert(rowID)
    }

    /// The added members, in the order of their addition.
    var added: [Int64] { additions.array }

    /// Whether nothing was added or removed.
    var isEmpty: Bool { additions.isEmpty && removed.isEmpty }

    /// Returns the same changes with the present rowids of the members. Two members may have become one.
    func renumbered(_ later: (Int64) -> Int64) -> PendingLinks {
        let result = PendingLinks(relationship)
        result.additions = OrderedRowIDs(added.map(later).withoutRepeats())
        result.removed = FewRowIDs(removed.sorted().map(later))
        result.moved = Set(moved.map(later))
        return result
    }

    /// Adds the changes of an object that turned out to be the same.
    func join(_ other: PendingLinks) {
        for rowID in other.removed.sorted() where !additions.contains(rowID) { removed.insert(rowID) }
        for rowID in other.added { add(rowID) }
    }

    /// Forgets the changes of a member.
    func forget(_ rowID: Int64) {
        additions.remove(rowID)
        removed.remove(rowID)
        moved.remove(rowID)
    }

    /// Returns the stored members with the changes applied.
    func applied(to stored: [Int64]) -> [Int64] {
        var result = stored
        if !removed.isEmpty || !moved.isEmpty {
            result.removeAll { removed.contains($0) || moved.contains($0) }
        }
        if additions.isEmpty { return result }
        let known = Set(result)
        result += added.filter { !known.contains($0) }
        return result
    }
}
