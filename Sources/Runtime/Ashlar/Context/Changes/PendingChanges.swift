/// The pending changes of a context: inserted, changed and deleted objects, and changes of relationships that have no
/// column in their objects' rows.
///
/// No property access here calls code that could access the property again. The context's own checks keep two threads
/// apart.
final class PendingChanges {
    // With checked accesses here, in the parts and in the context, a change and its save would take 10 % more
    // instructions. Design.md has the figures.

    /// The inserted objects, in insertion order. An object that was deleted since has another state than `inserted`.
    var inserted: ContiguousArray<ManagedObject> { insertedList.array }
    /// The stored objects that have changes, in the order of their first change.
    var changed: ContiguousArray<ManagedObject> { changedList.array }
    /// The changed objects that are saved as changed even if their values are the original ones.
    private var touched: Set<ObjectIdentifier> = []
    /// The stored objects that are to be deleted.
    var deleted: ContiguousArray<ManagedObject> { deletedList.array }
    @exclusivity(unchecked) private var insertedList = ManagedObjectList()
    @exclusivity(unchecked) private var changedList = ManagedObjectList()
    @exclusivity(unchecked) private var deletedList = ManagedObjectList()
    /// The members that relationships gained and lost.
    let links = PendingLinksTable()
    /// The ordered relationships whose order is to be written.
    @exclusivity(unchecked) private(set) var reordered: [LinkKey: Reordering] = [:] {
        didSet { lastReordered = nil }
    }
    /// The owner whose order changed last, which need not be noted again, because consecutive changes usually have the
    /// same owner.
    @exclusivity(unchecked) private var lastReordered: (key: LinkKey, owner: ObjectIdentifier, isRearranged: Bool)?
    /// Whether a reference may lead to an object that was inserted and deleted again.
    @exclusivity(unchecked) private(set) var hasForgottenObjects = false
    /// The rows that were reserved for objects that were then not inserted.
    @exclusivity(unchecked) private var forgottenRows: Set<RowKey> = []
    /// The rows that a merge reported while their objects had changes or were deleted here. The next save or a rollback
    /// settles them.
    @exclusivity(unchecked) private(set) var rowsToMerge: Set<RowKey> = []
    /// The rows of changed and deleted objects that others had changed or deleted before this context's own batch
    /// wrote.
    @exclusivity(unchecked) var rowsOfOthers: Set<RowKey> = []
    /// Properties that both this context and the store changed, by their objects. The next save throws them as
    /// conflicts.
    @exclusivity(unchecked) private(set) var propertyConflicts: [ObjectIdentifier: PropertyConflict] = [:]
    /// The objects whose rows must still have the version that was read when the save commits.
    @exclusivity(unchecked) private(set) var conflictDetections: [ConflictDetection] = []

    /// Raw values without a case that undone changes restore in rows.
    @exclusivity(unchecked) private(set) var unknownRawValues: [ObjectIdentifier: KeptRawValues] = [:]

    init() {}

    // MARK: Objects

    /// Whether no object is inserted, changed or deleted.
    var isEmpty: Bool {
        changed.isEmpty && deleted.isEmpty && !inserted.contains { $0.record.state == .inserted }
    }

    /// The number of listed objects, including those that were inserted and deleted again.
    var count: Int { inserted.count + changed.count + deleted.count }

    func insert(_ object: ManagedObject) { insertedList.append(object) }

    /// Removes an object from the inserted objects.
    func removeInserted(_ object: ManagedObject) { insertedList.remove(object) }

    /// Adds a stored object to the changed objects, once.
    func list(_ object: ManagedObject) {
        guard object.record.state == .persisted, !object.record.isListed else { return }
        object.record.isListed = true
        changedList.append(object)
    }

    /// Marks a stored object as changed even if its values are the original ones.
    func touch(_ object: ManagedObject) {
        list(object)
        if object.record.isListed { touched.insert(ObjectIdentifier(object)) }
    }

    /// Returns whether an object is to be saved as changed even if its values are the original ones.
    func isTouched(_ object: ManagedObject) -> Bool {
        !touched.isEmpty && touched.contains(ObjectIdentifier(object))
    }

    /// Removes an object from the changed objects.
    func unlist(_ object: ManagedObject) {
        changedList.remove(object)
        touched.remove(ObjectIdentifier(object))
        noteConflict(of: object, nil)
    }

    func delete(_ object: ManagedObject) { deletedList.append(object) }

    /// Removes an object from the deleted objects.
    func removeDeleted(_ object: ManagedObject) { deletedList.remove(object) }

    /// Makes the next save check whether an object's row still has the version that was read.
    func detectConflicts(for object: ManagedObject) {
        conflictDetections.append(ConflictDetection(object: object, version: object.record.version))
    }

    /// Forgets an object that is no longer to be inserted, with its relationships.
    func forget(_ object: ManagedObject) {
        let root = object.rootNumber
        let rowID = object.record.rowID
        if !links.isEmpty || !reordered.isEmpty {
            let traits = object.traits
            for number in traits.pointee.numbers {
                // Relationships with a column in the object's row are recorded only there.
                if traits.pointee[number].pointee.place == .column { continue }
                let key = LinkKey(root: root, rowID: rowID, relationship: number)
                links[key] = nil
                if !reordered.isEmpty { reordered[key] = nil }
            }
        }
        if rowID > 0 { forgottenRows.insert(RowKey(root: root, rowID: rowID)) }
        hasForgottenObjects = true
    }

    /// Returns whether a rowid belongs to a row of the store: it is not temporary, and not reserved for a forgotten
    /// object.
    func hasRow(_ rowID: Int64, _ root: UInt16) -> Bool {
        rowID > 0 && (forgottenRows.isEmpty || !forgottenRows.contains(RowKey(root: root, rowID: rowID)))
    }

    /// Forgets everything.
    func removeAll() {
        hasForgottenObjects = false
        forgottenRows = []
        rowsToMerge = []
        insertedList = ManagedObjectList()
        changedList = ManagedObjectList()
        touched = []
        deletedList = ManagedObjectList()
        links.removeAll()
        reordered = [:]
        propertyConflicts = [:]
        conflictDetections = []
        unknownRawValues = [:]
    }

    // MARK: Relationships

    /// Returns the members added to and removed from a relationship, to extend them.
    func links(_ key: LinkKey, _ relationship: UnsafePointer<RelationshipTraits>) -> PendingLinks {
        if let known = links[key] { return known }
        let new = PendingLinks(relationship.pointee.description)
        links[key] = new
        return new
    }

    func removeLinks(_ key: LinkKey) { links[key] = nil }

    /// Records that the order of a relationship is to be written.
    func reorder(_ key: LinkKey, _ reordering: Reordering) { reordered[key] = reordering }

    /// Records that the order of a relationship is to be written, because members were added, removed or moved.
    func reorder(
        _ key: LinkKey, of owner: ManagedObject, _ relationship: UnsafePointer<RelationshipTraits>, isRearranged: Bool
    ) {
        let identity = ObjectIdentifier(owner)
        if let last = lastReordered, last.key == key, last.owner == identity, last.isRearranged || !isRearranged {
            return
        }
        let isRearranged = isRearranged || reordered[key]?.isRearranged == true
        reordered[key] = Reordering(
            owner: owner, relationship: relationship.pointee.description, isRearranged: isRearranged)
        lastReordered = (key, identity, isRearranged)
    }

    func removeOrder(_ key: LinkKey) { reordered[key] = nil }

    /// Whether members that were there before are in another order.
    func isRearranged(_ key: LinkKey) -> Bool {
        reordered[key]?.isRearranged == true || links[key]?.isRearranged == true
    }

    /// Whether the order of a relationship changed, or a relationship that is stored in a join table.
    func hasChangedLinks(_ object: ManagedObject) -> Bool {
        if links.isEmpty, reordered.isEmpty { return false }
        let traits = object.traits
        return traits.pointee.numbers.contains { number in
            let relationship = traits.pointee[number]
            let isJoined = relationship.pointee.place == .joinTable
            // Most owners have neither; looking them up would be half the cost of counting them as changed.
            guard isJoined || relationship.pointee.isOrdered else { return false }
            let key = LinkKey(object, number)
            let links = links[key]
            if let order = reordered[key], order.isRearranged || links?.isRearranged == true { return true }
            return isJoined && links?.isEmpty == false
        }
    }

    /// Returns whether an object gained or lost members.
    func hasChangedMembers(_ object: ManagedObject) -> Bool {
        if links.isEmpty { return false }
        return object.traits.pointee.numbers.contains { links[LinkKey(object, $0)]?.isEmpty == false }
    }

    /// Replaces the rowids in recorded relationships.
    func renumber(_ rowIDs: RowIDChanges, _ model: ModelDescription, isOwner: (ManagedObject) -> Bool) {
        let before = Array(links)
        links.removeAll()
        for (key, noted) in before {
            let destination = model.entity(named: noted.relationship.destination)
            let root = destination?.number.root ?? key.root
            let (key, renumbered) = (key.renumbered(rowIDs), noted.renumbered { rowIDs[$0, root] })
            if let known = links[key] { known.join(renumbered) } else { links[key] = renumbered }
        }
        reordered = Dictionary(
            reordered.map { ($0.key.renumbered(rowIDs), $0.value) },
            uniquingKeysWith: { isOwner($0.owner) ? $0 : $1 })
    }

    // MARK: Concurrent changes of others

    /// Records that others wrote or deleted the row of an object that has changes.
    func noteRowToMerge(_ row: RowKey) { rowsToMerge.insert(row) }

    /// Returns whether others wrote or deleted a row, and marks the row as merged.
    func takeRowToMerge(_ row: RowKey) -> Bool { rowsToMerge.remove(row) != nil }

    /// Keeps the properties of an object that both sides changed; nil forgets them.
    func noteConflict(of object: ManagedObject, _ conflict: PropertyConflict?) {
        if conflict == nil, propertyConflicts.isEmpty { return }
        propertyConflicts[ObjectIdentifier(object)] = conflict
        object.record.hasConflict = conflict != nil
    }

    /// Records that the program has received conflicts with versions of rows, and can inspect both values.
    func noteReport(of versions: [PersistentIdentifier: Int64]) {
        for (object, conflict) in propertyConflicts {
            let isSame = versions[conflict.stored.identifier] == conflict.stored.record.version
            propertyConflicts[object]?.isReported = isSame
        }
    }

    /// Records raw values that an undo restores in a row, or forgets them for a redo.
    func noteUnknownRawValues(_ kept: KeptRawValues, areRestored: Bool) {
        let identity = ObjectIdentifier(kept.object)
        var values = unknownRawValues[identity]?.values ?? [:]
        for (column, value) in kept.values { values[column] = areRestored ? value : nil }
        unknownRawValues[identity] = values.isEmpty ? nil : KeptRawValues(object: kept.object, values: values)
    }

    func forgetUnknownRawValues(of object: ManagedObject) {
        if !unknownRawValues.isEmpty { unknownRawValues[ObjectIdentifier(object)] = nil }
    }

    // MARK: Parts

    /// Returns the changes of other tables than the given ones, which remain after these are saved.
    func rest(without roots: Set<UInt16>) -> PendingChanges {
        let rest = PendingChanges()
        rest.take(self) { !roots.contains($0) }
        rest.hasForgottenObjects = hasForgottenObjects
        rest.forgottenRows = forgottenRows.filter { !roots.contains($0.root) }
        rest.conflictDetections = conflictDetections.filter { !roots.contains($0.object.rootNumber) }
        return rest
    }

    /// Forgets the changes in all other tables than the given ones, but keeps the changes of others there.
    func keepOnly(_ roots: Set<UInt16>) { take(self) { roots.contains($0) } }

    /// Replaces these changes with others.
    func replace(with other: PendingChanges) {
        take(other) { _ in true }
        hasForgottenObjects = other.hasForgottenObjects
        forgottenRows = other.forgottenRows
        conflictDetections = other.conflictDetections
    }

    private func take(_ other: PendingChanges, where isTaken: (UInt16) -> Bool) {
        insertedList = ManagedObjectList(other.inserted.filter { isTaken($0.rootNumber) })
        changedList = ManagedObjectList(other.changed.filter { isTaken($0.rootNumber) })
        let objects = changed.map(ObjectIdentifier.init)
        touched = other.touched.intersection(objects)
        let known = other.propertyConflicts
        propertyConflicts = known.isEmpty ? [:] : known.filter { objects.contains($0.key) }
        deletedList = ManagedObjectList(other.deleted.filter { isTaken($0.rootNumber) })
        links.take(other.links) { isTaken($0.root) }
        reordered = other.reordered.filter { isTaken($0.key.root) }
        unknownRawValues = other.unknownRawValues.filter { isTaken($0.value.object.rootNumber) }
    }
}

/// An object whose row must still have the version that the program read, although the save does not write the row.
struct ConflictDetection {
    let object: ManagedObject
    /// The version that the program relies on, whatever a fetch or a merge reads later.
    var version: Int64
}

extension LinkKey {
    fileprivate func renumbered(_ rowIDs: RowIDChanges) -> LinkKey {
        LinkKey(root: root, rowID: rowIDs[rowID, root], relationship: relationship)
    }
}
