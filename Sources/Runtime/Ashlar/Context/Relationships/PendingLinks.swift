import Containers

/// An ordered relationship whose order is to be written.
struct Reordering {
    var owner: ManagedObject
    /// The model keeps it.
    unowned(unsafe) let relationship: RelationshipDescription
    /// Whether members that were there before have another order, rather than that some came or left.
    var isRearranged: Bool
}

/// The members that were added to and removed from a relationship since the last save.
///
/// No access to a property calls anything that could have another one: its context's own checks keep two threads apart.
/// Checking each took a fortieth of the instructions of an insertion.
final class PendingLinks {
    // What checked accesses would cost in all stands beside ``PendingChanges``.

    let relationship: RelationshipDescription
    @exclusivity(unchecked) private var additions = OrderedRowIDs()
    @exclusivity(unchecked) private(set) var removed = FewRowIDs()
    /// Members of an ordered relationship that were taken out and put back, hence at its end.
    @exclusivity(unchecked) private var moved: Set<Int64> = []

    init(_ relationship: RelationshipDescription) {
        self.relationship = relationship
    }

    /// Whether members that were there before have another order.
    var isRearranged: Bool { !moved.isEmpty }

    func add(_ rowID: Int64) {
        // Whether the store has it is not known here, so that it counts as added again.
        if !removed.isEmpty, removed.remove(rowID), relationship.isOrdered { moved.insert(rowID) }
        if !additions.contains(rowID) { additions.append(rowID) }
    }

    /// - Parameter mayBeStored: Whether the store, or the parent context, may have the member. Of one that was added since and
    ///   never saved it has not, and nothing is to be taken out there.
    func remove(_ rowID: Int64, mayBeStored: Bool = true) {
        if additions.remove(rowID), !mayBeStored { return }
        removed.insert(rowID)
    }

    /// What was added, in the order of the additions.
    var added: [Int64] { additions.array }

    /// Whether nothing was added or removed that is not as before.
    var isEmpty: Bool { additions.isEmpty && removed.isEmpty }

    /// The same changes, with the rowids that members got since; two members may have become one.
    func renumbered(_ later: (Int64) -> Int64) -> PendingLinks {
        let result = PendingLinks(relationship)
        result.additions = OrderedRowIDs(added.map(later).withoutRepeats())
        result.removed = FewRowIDs(removed.sorted().map(later))
        result.moved = Set(moved.map(later))
        return result
    }

    /// Takes over the changes of an object that turned out to be the same.
    func join(_ other: PendingLinks) {
        for rowID in other.removed.sorted() where !additions.contains(rowID) { removed.insert(rowID) }
        for rowID in other.added { add(rowID) }
    }

    /// Forgets what was done with a member.
    func forget(_ rowID: Int64) {
        additions.remove(rowID)
        removed.remove(rowID)
        moved.remove(rowID)
    }

    /// Applies the changes to the members that the store holds.
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
