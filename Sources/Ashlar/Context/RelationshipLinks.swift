/// What an object's relationships hold in memory, beyond the foreign keys among its values.
///
/// In a context the members of a relationship are rowids, so that objects which refer to each other do not keep each
/// other alive. Only objects in no context hold each other directly, until one of them is inserted.
@usableFromInline
final class RelationshipLinks {
    /// The members of relationships that were loaded, by the relationships' numbers.
    var members: [Int: [Int64]] = [:]
    /// What an object in no context refers to.
    var objects: [Int: [ManagedObject]] = [:]
}

/// A relationship of one object.
struct LinkKey: Hashable {
    var root: UInt16
    var rowID: Int64
    var relationship: Int
}

/// The members that were added to and removed from a relationship since the last save, in the order of the additions.
struct PendingLinks {
    var relationship: RelationshipDescription
    private(set) var added: [Int64] = []
    private(set) var removed: Set<Int64> = []
    private var addedSet: Set<Int64> = []

    init(_ relationship: RelationshipDescription) {
        self.relationship = relationship
    }

    mutating func add(_ rowID: Int64) {
        if removed.remove(rowID) != nil, !relationship.isOrdered { return }
        if addedSet.insert(rowID).inserted { added.append(rowID) }
    }

    mutating func remove(_ rowID: Int64) {
        if addedSet.remove(rowID) != nil {
            if added.last == rowID { added.removeLast() } else { added.removeAll { $0 == rowID } }
        }
        removed.insert(rowID)
    }

    /// Applies the changes to the members that the store holds.
    func applied(to stored: [Int64]) -> [Int64] {
        var result = removed.isEmpty ? stored : stored.filter { !removed.contains($0) }
        if added.isEmpty { return result }
        let known = Set(result)
        result += added.filter { !known.contains($0) }
        return result
    }
}
