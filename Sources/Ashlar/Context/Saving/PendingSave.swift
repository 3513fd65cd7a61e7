import CPrefetch
import Containers

/// What one save writes, gathered from a context and left as it is until the transaction is committed.
final class PendingSave {
    struct Update {
        /// First, where a loop that prefetches objects looks for it.
        let object: ManagedObject
        /// The row that the object had when the save was gathered: who sorts rows must not look at objects, which lie all
        /// over the memory.
        let row: RowKey
        /// Of the object, whose class keeps it.
        unowned(unsafe) let entity: EntityDescription
        /// The bits of the columns to write.
        var mask: UInt64
        /// Whether a relationship without a column changed, so that the row's version must change too.
        var bumpsVersion: Bool
        /// The row that a new object takes over, for it has values that must be unique and that the row has.
        var adopted: AdoptedRow?

        init(_ object: ManagedObject, mask: UInt64, bumpsVersion: Bool) {
            self.object = object
            entity = object.entity
            row = RowKey(root: entity.number.root, rowID: object.record.rowID)
            self.mask = mask
            self.bumpsVersion = bumpsVersion
        }

        var rowID: Int64 { adopted?.rowID ?? row.rowID }
        var version: Int64 { adopted?.version ?? object.record.version }
        /// Whether the row is to stay as it is.
        var isEmpty: Bool { mask == 0 && !bumpsVersion }
    }

    struct AdoptedRow {
        var rowID: Int64
        var version: Int64
    }

    let context: ModelContext
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
    /// Objects whose rows have another version than the context read, or are gone; found while the save was written.
    var conflicting: [ManagedObject] = []
    /// Rows that others deleted, and to which what the save writes refers; found while the save was written.
    var missingRows: Set<RowKey> = []
    /// Objects whose rows are gone and stay so.
    var lost: [ManagedObject] = []
    /// Objects whose rows others deleted and that are inserted again, with the versions that they get.
    var returned: [ObjectIdentifier: Int64] = [:]
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

    init(_ context: ModelContext) {
        self.context = context
        inserts = context.inserted.filter { $0.record.state == .inserted }
        deletes = Array(context.deleted)
        updates = []
        changedCount = context.changed.count
        var updates: [Update] = []
        updates.reserveCapacity(changedCount)
        // One pass, since each brings all objects into the processor's caches again. By their addresses, here and in other
        // loops over all objects: the iterator of an array takes longer than the rest where nothing is optimised.
        context.changed.withUnsafeBufferPointer { changed in
            var index = 0
            while index < changed.count {
                CPrefetchAhead(changed.baseAddress, MemoryLayout<ManagedObject>.stride, index, changed.count)
                let object = changed[index]
                index &+= 1
                if object.record.state == .persisted, let update = Self.update(of: object) {
                    updates.append(update)
                    if update.entity.validatesUpdates { hasRuledUpdates = true }
                    if update.mask & update.entity.referenceMask != 0 { hasChangedReferences = true }
                } else {
                    unchanged.append(object)
                    if object.record.state == .persisted, object.keepsRow || Self.hasChangedMembers(object) {
                        touched.append(object)
                    }
                }
            }
        }
        if !Self.isSorted(updates) { updates = RowKey.sort(updates) { $0.row } }
        self.updates = updates
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
    var updatedColumns: [UInt16: UInt64] {
        var columns: [UInt16: UInt64] = [:]
        for update in updates {
            let isWhole =
                update.adopted != nil || update.entity.hasDerivedColumns || Self.hasChangedLinks(update.object)
            columns[update.row.root, default: 0] |= isWhole ? .max : update.mask
        }
        for object in touched { columns[object.entity.number.root, default: 0] |= 0 }
        for root in derivedChanges.keys { columns[root] = .max }
        return columns
    }

    /// What is to be written of a changed object; nil when it has only columns that were set to the values they had.
    static func update(of object: ManagedObject) -> Update? {
        let mask = object.changesFromOriginal
        let hasLinks = mask == 0 && hasChangedLinks(object)
        return mask == 0 && !hasLinks ? nil : Update(object, mask: mask, bumpsVersion: hasLinks)
    }

    /// Whether a relationship that is stored elsewhere than in the object's row, or its order, changed.
    static func hasChangedLinks(_ object: ManagedObject) -> Bool {
        guard let context = object.record.context, !context.pendingLinks.isEmpty || !context.reordered.isEmpty
        else { return false }
        return object.entity.relationships.indices.contains { number in
            let relationship = object.entity.relationships[number]
            let isJoined = if case .joinTable = relationship.storage { true } else { false }
            // Most owners have neither; looking it up would be half of what it costs to count them as changed.
            guard isJoined || relationship.isOrdered else { return false }
            let key = LinkKey(object, number)
            let links = context.pendingLinks[key]
            if let order = context.reordered[key], order.isRearranged || links?.isRearranged == true { return true }
            return isJoined && links?.isEmpty == false
        }
    }

    /// Whether others came to an object or left it.
    static func hasChangedMembers(_ object: ManagedObject) -> Bool {
        guard let context = object.record.context, !context.pendingLinks.isEmpty else { return false }
        return object.entity.relationships.indices.contains {
            context.pendingLinks[LinkKey(object, $0)]?.isEmpty == false
        }
    }

    /// Rows that the context has no objects of, and that members came to or left.
    var touchedRows: [PersistentIdentifier] {
        let container = context.container
        return context.pendingLinks.compactMap { key, links in
            guard key.rowID > 0, case .inverseColumn = links.relationship.storage, !links.isEmpty,
                context.registeredObject(key.rowID, key.root) == nil
            else { return nil }
            return PersistentIdentifier(
                rowID: key.rowID, store: container.storeNumber(of: key.root),
                entity: EntityNumber(root: key.root, entity: key.root))
        }
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
        hasGatheredUpdates = false
        updates.removeAll { $0.object === object }
        unchanged.append(object)
        positions = Self.positions(updates)
    }

    /// Writes everything in one transaction, settling conflicts as the context's policy says; after an error context
    /// and store are as they were, but for ``committedRoots``.
    func run() throws {
        do {
            try resolveConstraintConflicts()
            try write()
        } catch {
            for state in beforeMerging.reversed() where !committedRoots.contains(state.object.entity.number.root) {
                state.restore()
            }
            throw error
        }
    }
}

/// What of an object a merge policy may change, so that it can be put back.
struct ObjectState {
    let object: ManagedObject
    private let values: ValuesBox
    private let record: ManagedObject.Record
    private let identifiers: [PersistentIdentifier?]

    init(_ object: ManagedObject) {
        self.object = object
        // What follows changes values without notice.
        _ = object.original
        values = object.snapshot()
        record = object.record
        identifiers = object.entity.referenceColumns.map { object.identifier(inColumn: $0) }
    }

    /// What a foreign key column held.
    func identifier(_ column: Int) -> PersistentIdentifier? {
        object.entity.referenceColumns.firstIndex(of: column).flatMap { identifiers[$0] }
    }

    /// The bits of the columns in which the object has other values now; all where some are derived.
    var changedColumns: UInt64 {
        object.entity.hasDerivedColumns ? .max : object.changes(since: values, in: .max)
    }

    func restore() {
        object.restore(values)
        // Members that were loaded since are loaded again; those whose order was set were loaded before the save began.
        object.record = record
    }
}
