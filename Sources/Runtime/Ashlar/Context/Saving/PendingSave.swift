import CPrefetch
import Containers

/// What one save writes, gathered from what is pending and left as it is until the transaction is committed.
final class PendingSave {
    struct Update {
        /// First, where a loop that prefetches objects looks for it.
        let object: ManagedObject
        /// The row that the object had when the save was gathered: who sorts rows must not look at objects, which lie all
        /// over the memory.
        let row: RowKey
        /// What is asked of the object's entity.
        let traits: UnsafePointer<EntityTraits>
        /// The bits of the columns to write.
        var mask: UInt64
        /// Whether the row's version must change without a column: a relationship without one changed, or the object was
        /// touched.
        var bumpsVersion: Bool
        /// The row that a new object takes over, for it has values that must be unique and that the row has.
        var adopted: AdoptedRow?

        init(_ object: ManagedObject, mask: UInt64, bumpsVersion: Bool) {
            self.object = object
            traits = object.traits
            row = RowKey(root: traits.pointee.number.root, rowID: object.record.rowID)
            self.mask = mask
            self.bumpsVersion = bumpsVersion
        }

        var entity: EntityDescription { traits.pointee.entity }
        var rowID: Int64 { adopted?.rowID ?? row.rowID }
        var version: Int64 { adopted?.version ?? object.record.version }
        /// Whether the row is to stay as it is.
        var isEmpty: Bool { mask == 0 && !bumpsVersion }
    }

    struct AdoptedRow {
        var rowID: Int64
        var version: Int64
    }

    let surroundings: SaveSurroundings
    var inserts: [ManagedObject]
    var updates: [Update]
    /// Whether no merge policy changed the updates since they were gathered: they are in the order of their rows, none is
    /// empty, and none takes over another row.
    var hasGatheredUpdates = true
    /// Whether the entity of a gathered update has rules for updates.
    private(set) var hasRuledUpdates = false
    /// Whether a gathered update changes a reference.
    private(set) var hasChangedReferences = false
    /// What counted as changed and has nothing to be written.
    private(set) var unchanged: ContiguousArray<ManagedObject> = []
    /// Of these, what others came to or left, or has other transient values: it is told of as changed.
    var touched: [ManagedObject] = []
    /// The number of objects that counted as changed.
    var changedCount: Int
    /// Where objects are among the updates; made only where a merge policy asks.
    private lazy var positions = Self.positions(updates)
    var deletes: [ManagedObject]
    /// The rowids that the store gave to objects with temporary ones.
    var permanentRowIDs = PermanentRowIDs()
    /// New objects that another object stands for, by their temporary rowids.
    var replacements: [Int64: ManagedObject] = [:]
    /// New objects that are not saved, since another object stands for them.
    var replaced: [ManagedObject] = []
    /// Objects whose rows must have the versions that the program relies on.
    var conflictDetections: [ConflictDetection]
    /// Objects whose rows have another version than the context read, or are gone; found while the save was written.
    var conflicting: [ManagedObject] = []
    /// Members that came to deleted objects since the context read them; found while the save was written.
    var newMembers: [NewMember] = []
    /// Rows that cannot be read: what becomes of them when their owners go is left to the store.
    var unreadableMembers: Set<RowKey> = []
    /// What the save writes into the columns of one-to-one relationships.
    var partners = WantedPartners()
    /// Objects whose one-to-one relationship leads to the partner of another row; found while the save was written.
    var takenPartners: [TakenPartner] = []
    /// Rows that others deleted, and to which what the save writes refers; found while the save was written.
    var missingRows: Set<RowKey> = []
    /// Objects whose rows are gone and stay so.
    var lost: [ManagedObject] = []
    /// Objects whose rows others deleted and that are inserted again, with the versions that they get.
    var returned: [ObjectIdentifier: Int64] = [:]
    /// The members of ordered relationships to which such objects come back, as the context has them.
    var ordersOfReturned: [LinkKey: (owner: ManagedObject, members: [Int64])] = [:]
    /// Ordered relationships to which members came here while others set another order, which the save keeps.
    var reorderedByOthers: Set<LinkKey> = []
    /// Objects whose deletion a merge policy took back.
    var restored: [ManagedObject] = []
    /// Objects as they were before a merge policy changed them, in the order of the changes.
    var beforeMerging: [ObjectState] = []
    /// The statements of the last update: most updates of a save set the same columns.
    var lastUpdate: PreparedUpdate?
    /// The statements of the last deletion.
    var lastDeletion: PreparedDeletion?
    /// The columns whose values objects exchange; they are freed first. A column is known by its table and its name.
    var exchanged: Set<String> = []
    /// The rows in which the store derived values anew, by the numbers of their root entities.
    var derivedChanges: [UInt16: Set<Int64>] = [:]
    /// The root entities in stores that were committed although the save as a whole failed.
    var committedRoots: Set<UInt16> = []
    /// The columns of the constraint that an update just broke.
    var collisions: Set<String> = []

    init(_ surroundings: SaveSurroundings) {
        self.surroundings = surroundings
        let pending = surroundings.pending
        inserts = pending.inserted.filter { $0.record.state == .inserted }
        deletes = Array(pending.deleted)
        conflictDetections = pending.conflictDetections
        updates = []
        changedCount = pending.changed.count
        var updates: [Update] = []
        updates.reserveCapacity(changedCount)
        // One pass, since each brings all objects into the processor's caches again. By their addresses, here and in other
        // loops over all objects: the iterator of an array takes longer than the rest where nothing is optimised.
        pending.changed.withUnsafeBufferPointer { changed in
            var index = 0
            while index < changed.count {
                CPrefetchAhead(changed.baseAddress, MemoryLayout<ManagedObject>.stride, index, changed.count)
                let reference = Unmanaged.passUnretained(changed[index])
                index &+= 1
                if reference._withUnsafeGuaranteedRef({ Self.gather($0, pending, &updates) }) {
                    let (traits, mask) = (updates[updates.count &- 1].traits, updates[updates.count &- 1].mask)
                    if traits.pointee.validatesUpdates { hasRuledUpdates = true }
                    if mask & traits.pointee.referenceMask != 0 { hasChangedReferences = true }
                    continue
                }
                let object = reference.takeUnretainedValue()
                unchanged.append(object)
                if object.record.state == .persisted, object.keepsRow || pending.hasChangedMembers(object) {
                    touched.append(object)
                }
            }
        }
        if !Self.isSorted(updates) { updates = RowKey.sort(updates) { $0.row } }
        self.updates = updates
    }

    var container: ModelContainer { surroundings.container }
    var pending: PendingChanges { surroundings.pending }
    var registry: ObjectRegistry { surroundings.registry }
    var errors: DeferredErrors { surroundings.errors }
    var graph: any ObjectGraph { surroundings.graph }
    var conflicts: any ConflictSettling { surroundings.conflicts }

    /// Adds what is to be written of a changed object; false when it has only columns that were set to the values they had.
    @inline(__always)
    private static func gather(_ object: ManagedObject, _ pending: PendingChanges, _ updates: inout [Update]) -> Bool {
        guard object.record.state == .persisted else { return false }
        let mask = object.changesFromOriginal
        if mask == 0, !pending.hasChangedLinks(object), !pending.isTouched(object) { return false }
        updates.append(Update(object, mask: mask, bumpsVersion: mask == 0))
        return true
    }

    private static func isSorted(_ updates: [Update]) -> Bool {
        updates.withUnsafeBufferPointer { updates in
            var index = 1
            while index < updates.count {
                if updates[index].row < updates[index &- 1].row { return false }
                index &+= 1
            }
            return true
        }
    }

    /// The bits of the columns that updates write, by the numbers of their root entities; all columns where others too
    /// have other values, such as those that the store derives.
    ///
    /// - Parameter touchedRows: Rows that members came to or left, whose tables count too.
    func updatedColumns(with touchedRows: [PersistentIdentifier]) -> [UInt16: UInt64] {
        var columns: [UInt16: UInt64] = [:]
        for update in updates {
            let isWhole =
                update.adopted != nil || update.entity.hasDerivedColumns
                || pending.hasChangedLinks(update.object)
            columns[update.row.root, default: 0] |= isWhole ? .max : update.mask
        }
        for object in touched { columns[object.rootNumber, default: 0] |= 0 }
        for row in touchedRows { columns[row.number.root, default: 0] |= 0 }
        for root in derivedChanges.keys { columns[root] = .max }
        return columns
    }

    /// The objects that the save is about, for those who are told of it.
    var changes: ContextChanges {
        ContextChanges(inserted: inserts, updated: updates.map(\.object) + touched, deleted: deletes + lost)
    }

    /// Rows that the context has no objects of, and that members came to or left.
    var touchedRows: [PersistentIdentifier] {
        pending.links.compactMap { key, links in
            guard key.rowID > 0, case .inverseColumn = links.relationship.storage, !links.isEmpty,
                registry[key.rowID, key.root] == nil
            else { return nil }
            return PersistentIdentifier(
                rowID: key.rowID, store: container.storeNumber(of: key.root),
                entity: EntityNumber(root: key.root, entity: key.root))
        }
    }

    /// The objects that conflicts with others changed, or took away.
    var settled: [ManagedObject] {
        beforeMerging.map(\.object) + restored + lost + replaced + replacements.values
    }

    private static func positions(_ updates: [Update]) -> [ObjectIdentifier: Int] {
        Dictionary(uniqueKeysWithValues: updates.indices.map { (ObjectIdentifier(updates[$0].object), $0) })
    }

    /// The update of an object, an empty one where there was none.
    func withUpdate(of object: ManagedObject, _ body: (inout Update) -> Void) {
        hasGatheredUpdates = false
        if let position = positions[ObjectIdentifier(object)] { return body(&updates[position]) }
        positions[ObjectIdentifier(object)] = updates.count
        var update = Update(object, mask: 0, bumpsVersion: false)
        body(&update)
        updates.append(update)
    }

    func removeUpdate(of object: ManagedObject) {
        removeUpdates(of: [ObjectIdentifier(object)])
        unchanged.append(object)
    }

    func removeUpdates(of objects: Set<ObjectIdentifier>) {
        hasGatheredUpdates = false
        updates.removeAll { objects.contains(ObjectIdentifier($0.object)) }
        positions = Self.positions(updates)
    }

    /// Writes everything in one transaction, settling conflicts as the context's policy says; after an error context
    /// and store are as they were, but for ``committedRoots``.
    func run() throws {
        do {
            try resolveConstraintConflicts()
            try write()
        } catch {
            for state in beforeMerging.reversed() where !committedRoots.contains(state.object.rootNumber) {
                state.restore()
            }
            throw error
        }
    }
}
