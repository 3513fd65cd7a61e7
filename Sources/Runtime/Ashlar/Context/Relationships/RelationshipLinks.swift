import Containers

/// What one relationship of an object holds in memory, beyond a foreign key among its values.
///
/// In a context the members of a relationship are rowids, so that objects which refer to each other do not keep each
/// other alive. Only objects in no context hold each other directly, until one of them is inserted.
@usableFromInline
final class RelationshipLinks {
    /// The relationship's number.
    let relationship: RelationshipNumber
    /// The members of a to-many relationship, once they were loaded.
    ///
    /// Its accesses are unchecked, as those of ``PendingLinks`` are.
    @exclusivity(unchecked) var members: OrderedRowIDs?
    /// The context's count of disappearances when the members were last seen to exist.
    var checked: Int?
    /// What an object in no context refers to.
    var objects: [ManagedObject] = []
    /// What another relationship of the object holds: of the few that there are, a chain takes less time and memory than
    /// a dictionary.
    fileprivate let next: RelationshipLinks?

    fileprivate init(_ relationship: RelationshipNumber, next: RelationshipLinks?) {
        (self.relationship, self.next) = (relationship, next)
    }

    fileprivate init(_ relationship: RelationshipNumber, members: OrderedRowIDs) {
        (self.relationship, next) = (relationship, nil)
        self.members = members
    }

    /// Whether the members were loaded.
    var isLoaded: Bool {
        // To compare with nil would count the references of a copy.
        if case .none = members { false } else { true }
    }

    /// The members in their order, once they were loaded.
    var rowIDs: [Int64]? {
        get { members?.array }
        set { members = newValue.map { OrderedRowIDs($0) } }
    }

    /// Takes over the members that the store holds, with the pending changes, of which objects may be gone.
    func load(_ stored: OrderedRowIDs, _ pending: PendingLinks?) {
        members = pending.map { OrderedRowIDs($0.applied(to: stored.array)) } ?? stored
        checked = nil
    }
}

extension ManagedObject {
    /// What a relationship holds in memory; nil for nothing.
    final func links(_ relationship: RelationshipNumber) -> RelationshipLinks? {
        linksReference(relationship)?.takeUnretainedValue()
    }

    /// The same, without a reference that is counted.
    @inline(__always)
    private final func linksReference(_ relationship: RelationshipNumber) -> Unmanaged<RelationshipLinks>? {
        var links = record.links.map { Unmanaged.passUnretained($0) }
        while let found = links {
            if found._withUnsafeGuaranteedRef({ $0.relationship == relationship }) { return found }
            links = found._withUnsafeGuaranteedRef { $0.next.map { Unmanaged.passUnretained($0) } }
        }
        return nil
    }

    /// Whether the members of a relationship to many were loaded.
    @inline(__always)
    final func hasLoaded(_ relationship: RelationshipNumber) -> Bool {
        linksReference(relationship)?._withUnsafeGuaranteedRef { $0.isLoaded } ?? false
    }

    /// The members of a relationship to many in their order, once they were loaded.
    @inline(__always)
    final func loadedMembers(_ relationship: RelationshipNumber) -> OrderedRowIDs? {
        linksReference(relationship)?._withUnsafeGuaranteedRef { $0.members }
    }

    /// What a relationship holds in memory, to be given something to hold.
    final func makeLinks(_ relationship: RelationshipNumber) -> RelationshipLinks {
        if record.links != nil, let links = links(relationship) { return links }
        let links = RelationshipLinks(relationship, next: record.links)
        record.links = links
        let root = rootNumber
        withContext { $0.registry.noteLinks(of: root) }
        return links
    }

    /// Takes over the members of a relationship that the store holds, as ``RelationshipLinks/load(_:_:)`` does.
    final func load(_ stored: OrderedRowIDs, _ pending: PendingLinks?, _ relationship: RelationshipNumber) {
        if record.links != nil || pending != nil { return makeLinks(relationship).load(stored, pending) }
        record.links = RelationshipLinks(relationship, members: stored)
        let root = rootNumber
        withContext { $0.registry.noteLinks(of: root) }
    }

    /// The relationships whose members were loaded, in their order.
    final var loadedRelationships: [RelationshipNumber] { allLinks.filter(\.isLoaded).map(\.relationship) }

    /// What relationships hold in memory, in the order of the relationships.
    final var allLinks: [RelationshipLinks] {
        var all: [RelationshipLinks] = []
        var links = record.links
        while let found = links {
            all.append(found)
            links = found.next
        }
        return all.sorted { $0.relationship < $1.relationship }
    }
}

/// A relationship of one object.
struct LinkKey: Hashable {
    var root: UInt16
    var rowID: Int64
    var relationship: RelationshipNumber

    func hash(into hasher: inout Hasher) {
        hasher.combine(mixed)
    }

    /// All of it in one number rather than three, to be hashed: those of relationships and tables are small. Two keys may have
    /// the same, as the rowids of some stores are in ranges beyond 40 bits.
    @inline(__always)
    var mixed: Int64 {
        rowID ^ Int64(root) &<< 48 ^ Int64(truncatingIfNeeded: relationship.position) &<< 40
    }
}

extension LinkKey {
    init(_ object: ManagedObject, _ relationship: RelationshipNumber) {
        self.init(root: object.rootNumber, rowID: object.record.rowID, relationship: relationship)
    }

    init(_ identifier: PersistentIdentifier, _ relationship: RelationshipNumber) {
        self.init(root: identifier.number.root, rowID: identifier.rowID, relationship: relationship)
    }
}
