import CPrefetch
import Containers

/// The changes that one save writes, collected from the pending changes, which stay until the transaction is committed.
final class PendingSave {
    struct Update {
        /// The object. It is the first property, because a loop that prefetches objects reads it there.
        let object: ManagedObject
        /// The object's row when the save was gathered. Sorting by it avoids reading objects, which are scattered over
        /// the memory.
        let row: RowKey
        /// The traits of the object's entity.
        let traits: UnsafePointer<EntityTraits>
        /// The bits of the columns to write.
        var mask: UInt64
        /// Whether the row's version must change although no column does: a relationship without a column changed, or
        /// the object was touched.
        var bumpsVersion: Bool
        /// The row that a new object takes over, because it has the object's unique values.
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
        /// Whether the row stays as it is.
        var isEmpty: Bool { mask == 0 && !bumpsVersion }
    }

    struct AdoptedRow {
        var rowID: Int64
        var version: Int64
    }

    let surroundings: SaveSurroundings
    var inserts: [ManagedObject]
    var updates: [Update]
    /// Whether no merge policy changed the updates since they were gathered: they are sorted by row, none is empty, and
    /// none takes over another row.
    var hasGatheredUpdates = true
    /// Whether the entity of a gathered update has rules for updates.
    private(set) var hasRuledUpdates = false
    /// Whether a gathered update changes a reference.
    private(set) var hasChangedReferences = false
    /// The objects that counted as changed, but have nothing to write.
    private(set) var unchanged: ContiguousArray<ManagedObject> = []
    /// The unchanged objects that gained or lost members, or have other transient values, and are reported as changed.
    var touched: [ManagedObject] = []
    /// The number of objects that counted as changed.
    var changedCount: Int
    /// The positions of objects among the updates; computed only if a merge policy needs them.
    private lazy var positions = Self.positions(updates)
    var deletes: [ManagedObject]
    /// The rowids that the store assigned to objects with temporary ones.
    var permanentRowIDs = PermanentRowIDs()
    /// The objects that replace new objects, by the temporary rowids of the new ones.
    var replacements: [Int64: ManagedObject] = [:]
    /// New objects that are not saved, because another object replaces them.
    var replaced: [ManagedObject] = []
    /// Objects whose rows must have the versions that the program relies on.
    var conflictDetections: [ConflictDetection]
    /// Objects whose rows were deleted or have another version than the context read; found while writing.
    var conflicting: [ManagedObject] = []
    /// Members that joined deleted objects since the context read them; found while writing.
    var newMembers: [NewMember] = []
    /// Rows that cannot be read. The store applies the deletion rules of their owners to them.
    var unreadableMembers: Set<RowKey> = []
    /// The values that the save writes into the columns of one-to-one relationships.
    var partners = WantedPartners()
    /// Objects whose one-to-one relationship leads to the partner of another row; found while writing.
    var takenPartners: [TakenPartner] = []
    /// Rows that others deleted, and to which the save's rows refer; found while writing.
    var missingRows: Set<RowKey> = []
    /// Objects whose rows were deleted and are not inserted again.
    var lost: [ManagedObject] = []
    /// Objects whose rows others deleted and that are inserted again, with their new versions.
    var returned: [ObjectIdentifier: Int64] = [:]
    /// The members of ordered relationships that regain such objects, as the context has them.
    var ordersOfReturned: [LinkKey: (owner: ManagedObject, members: [Int64])] = [:]
    /// Ordered relationships that gained members here while others set another order, which the save keeps.
    var reorderedByOthers: Set<LinkKey> = []
    /// Objects whose deletion a merge policy took back.
    var restored: [ManagedObject] = []
    /// Objects as they were before a merge policy changed them, in the order of the changes.
    var beforeMerging: [ObjectState] = []
    /// The statements of the last update. Most updates of a save set the same columns.
    var lastUpdate: PreparedUpdate?
    /// The statements of the last deletion.
    var lastDeletion: PreparedDeletion?
    /// The columns whose values objects exchange, by table and name. The values are freed first.
    var exchanged: Set<String> = []
    /// The rows whose derived values changed, by the numbers of their root entities.
    var derivedChanges: [UInt16: Set<Int64>] = [:]
    /// The root entities in stores that were committed although the save as a whole failed.
    var committedRoots: Set<UInt16> = []
    /// The columns of the constraint that an update just violated.
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
        // One pass, because each pass loads all objects into the processor's caches again. This loop and others over
        // all objects use addresses: in unoptimized builds, an array's iterator takes longer than the rest.
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

    /// Adds the update of a changed object. Returns false if its columns were only set to the values they had.
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

    /// Returns the bits of the columns that updates write, by the numbers of their root entities; all columns if others
    /// may change too, such as derived ones.
    ///
    /// - Parameter touchedRows: Rows that gained or lost members, whose tables count too.
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

    /// The objects of the save, for its observers.
    var changes: ContextChanges {
        ContextChanges(inserted: inserts, updated: updates.map(\.object) + touched, deleted: deletes + lost)
    }

    /// Rows without objects in the context that gained or lost members.
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

    /// The objects that conflicts with others changed or removed.
    var settled: [ManagedObject] {
        beforeMerging.map(\.object) + restored + lost + replaced + replacements.values
    }

    private static func positions(_ updates: [Update]) -> [ObjectIdentifier: Int] {
        Dictionary(uniqueKeysWithValues: updates.indices.map { (ObjectIdentifier(updates[$0].object), $0) })
    }

    /// Calls a closure with the update of an object, which is empty if there was none.
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

    /// Writes everything in one transaction, and settles conflicts by the context's policy. After an error, context and
    /// store are unchanged, except for ``committedRoots``.
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
