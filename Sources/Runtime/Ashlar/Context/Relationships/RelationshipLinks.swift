import Containers

/// The contents of one relationship of an object in memory, except for a foreign key among its values.
///
/// In a context, the members of a relationship are rowids, so that objects that refer to each other do not keep each
/// other alive. Only objects in no context retain each other directly, until one of them is inserted.
@usableFromInline
final class RelationshipLinks {
    /// The relationship's number.
    let relationship: RelationshipNumber
    /// The members of a to-many relationship, once they are loaded.
    ///
    /// Its accesses are unchecked, as those of ``PendingLinks`` are.
    @exclusivity(unchecked) var members: OrderedRowIDs?
    /// The context's count of disappearances when the existence of the members was last checked.
    var checked: Int?
    /// The destinations of an object in no context.
    var objects: [ManagedObject] = []
    /// The contents of another relationship of the object. As there are only a few, a chain takes less time and memory
    /// than a dictionary.
    fileprivate let next: RelationshipLinks?

    fileprivate init(_ relationship: RelationshipNumber, next: RelationshipLinks?) {
        (self.relationship, self.next) = (relationship, next)
    }

    fileprivate init(_ relationship: RelationshipNumber, members: OrderedRowIDs) {
        (self.relationship, next) = (relationship, nil)
        self.members = members
    }

    /// Whether the members are loaded.
    var isLoaded: Bool {
        // A comparison with nil would count the references of a copy.
        if case .none = members { false } else { true }
    }

    /// The members in their order, once they are loaded.
    var rowIDs: [Int64]? {
        get { members?.array }
        set { members = newValue.map { OrderedRowIDs($0) } }
    }

    /// Sets the members to the stored ones with the pending changes applied. Some of their objects may have been
    /// deleted.
    func load(_ stored: OrderedRowIDs, _ pending: PendingLinks?) {
        members = pending.map { OrderedRowIDs($0.applied(to: stored.array)) } ?? stored
        checked = nil
    }
}

extension ManagedObject {
    /// Returns the contents of a relationship in memory; nil if there are none.
    final func links(_ relationship: RelationshipNumber) -> RelationshipLinks? {
        linksReference(relationship)?.takeUnretainedValue()
    }

    /// Returns the same without reference counting.
    @inline(__always)
    private final func linksReference(_ relationship: RelationshipNumber) -> Unmanaged<RelationshipLinks>? {
        var links = record.links.map { Unmanaged.passUnretained($0) }
        while let found = links {
            if found._withUnsafeGuaranteedRef({ $0.relationship == relationship }) { return found }
            links = found._withUnsafeGuaranteedRef { $0.next.map { Unmanaged.passUnretained($0) } }
        }
        return nil
    }

    /// Returns whether the members of a to-many relationship are loaded.
    @inline(__always)
    final func hasLoaded(_ relationship: RelationshipNumber) -> Bool {
        linksReference(relationship)?._withUnsafeGuaranteedRef { $0.isLoaded } ?? false
    }

    /// Returns the members of a to-many relationship in their order, once they are loaded.
    @inline(__always)
    final func loadedMembers(_ relationship: RelationshipNumber) -> OrderedRowIDs? {
        linksReference(relationship)?._withUnsafeGuaranteedRef { $0.members }
    }

    /// Returns the contents of a relationship in memory, creating them if necessary.
    final func makeLinks(_ relationship: RelationshipNumber) -> RelationshipLinks {
        if record.links != nil, let links = links(relationship) { return links }
        let links = RelationshipLinks(relationship, next: record.links)
        record.links = links
        let root = rootNumber
        withContext { $0.registry.noteLinks(of: root) }
        return links
    }

    /// Sets the stored members of a relationship, as ``RelationshipLinks/load(_:_:)`` does.
    final func load(_ stored: OrderedRowIDs, _ pending: PendingLinks?, _ relationship: RelationshipNumber) {
        if record.links != nil || pending != nil { return makeLinks(relationship).load(stored, pending) }
        record.links = RelationshipLinks(relationship, members: stored)
        let root = rootNumber
        withContext { $0.registry.noteLinks(of: root) }
    }

    /// The relationships whose members are loaded, in their order.
    final var loadedRelationships: [RelationshipNumber] { allLinks.filter(\.isLoaded).map(\.relationship) }

    /// The contents of all relationships in memory, in the order of the relationships.
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

    /// The parts combined into one number, which hashes faster than three: the numbers of relationships and tables are
    /// small. Two keys may have the same number, because the rowids of some stores exceed 40 bits.
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
