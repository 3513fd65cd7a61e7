import AshlarSQLite
import Containers

/// A save of objects in several stores is one transaction over all of them.
extension PendingSave {
    /// The stores that the save writes, or whose rows must stay as they are until it commits.
    ///
    /// - Throws: ``SaveError/readOnlyStore(_:entity:)``.
    func writtenStores() throws -> [PersistentStore] {
        let container = context.container
        var positions: Set<Int> = []
        for root in writtenRoots {
            let entity = container.model.entity(root)
            guard let position = container.placement.store(of: root) else {
                throw StoreError.entityWithoutStore(entity.name)
            }
            if container.stores[position].isReadOnly {
                throw SaveError.readOnlyStore(container.stores[position].url, entity: entity.name)
            }
            positions.insert(position)
        }
        for object in context.conflictDetections {
            guard let position = container.placement.store(of: object.entity.number.root) else { continue }
            // Nobody else's changes can be kept from a store that only they may write.
            if !container.stores[position].isReadOnly { positions.insert(position) }
        }
        return positions.sorted().map { container.stores[$0] }
    }

    /// The tables whose rows the save writes.
    var writtenRoots: Set<UInt16> {
        var roots: Set<UInt16> = []
        for object in inserts { roots.insert(object.entity.number.root) }
        for update in updates { roots.insert(update.object.entity.number.root) }
        for object in deletes { roots.insert(object.entity.number.root) }
        for key in context.pendingLinks.keys { roots.insert(key.root) }
        for key in context.reordered.keys { roots.insert(key.root) }
        return roots
    }

    // MARK: A commit that failed half-way

    /// Finds out which stores were committed when the commit of several failed, as SQLite commits one after the other.
    ///
    /// - Throws: ``SaveError/partlySaved(_:failed:_:)`` when one was, ``SaveError/unknownOutcome(_:)`` when that cannot be
    ///   read.
    func findCommittedStores(_ connection: Connection, _ error: any Error) throws {
        let container = context.container
        guard !container.placement.isSimple, let error = error as? SQLiteError else { return }
        let stores = try writtenStores()
        if stores.count < 2 { return }
        var committed: [PersistentStore] = []
        do {
            for store in stores where try isCommitted(store, connection) { committed.append(store) }
        } catch {
            context.unknownOutcome = error
            throw SaveError.unknownOutcome(error)
        }
        if committed.isEmpty { return }
        for entity in container.model.entities {
            guard let position = container.placement.store(of: entity.number.root) else { continue }
            if committed.contains(where: { $0.schemaName == container.stores[position].schemaName }) {
                committedRoots.insert(entity.number.root)
            }
        }
        let failed = stores.filter { store in !committed.contains { $0.schemaName == store.schemaName } }
        throw SaveError.partlySaved(committed.map(\.url), failed: failed.map(\.url), error)
    }

    /// Whether a store has what the save wrote into it; one row tells, as a store is committed as a whole.
    private func isCommitted(_ store: PersistentStore, _ connection: Connection) throws(SQLiteError) -> Bool {
        func isInStore(_ object: ManagedObject) -> Bool {
            context.container.schemaName(of: object.entity.number.root) == store.schemaName
        }
        func version(_ entity: EntityDescription, _ rowID: Int64) throws(SQLiteError) -> Int64? {
            try connection.integer(
                "SELECT \"version$\" FROM \(entity.tableName.quotedIdentifier) WHERE \"id$\" = ?1", [.integer(rowID)])
        }
        if let object = inserts.first(where: isInStore), let rowID = permanentRowIDs[object.record.rowID] {
            return try version(object.entity, rowID) != nil
        }
        if let update = updates.first(where: { isInStore($0.object) && !$0.isEmpty }) {
            return try version(update.object.entity, update.rowID) == update.version &+ 1
        }
        if let object = deletes.first(where: isInStore) {
            return try version(object.entity, object.record.rowID) == nil
        }
        // Nothing was written.
        return false
    }

    /// What was written into stores that were committed.
    func committedPart() -> PendingSave {
        func isCommitted(_ object: ManagedObject) -> Bool { committedRoots.contains(object.entity.number.root) }
        let part = PendingSave(context)
        // It stands for some of the changed objects only.
        part.changedCount = -1
        part.inserts = inserts.filter(isCommitted)
        part.updates = updates.filter { isCommitted($0.object) }
        part.hasGatheredUpdates = hasGatheredUpdates
        part.touched = touched.filter(isCommitted)
        part.deletes = deletes.filter(isCommitted)
        part.permanentRowIDs = PermanentRowIDs(for: part.inserts)
        for object in part.inserts + part.updates.map(\.object) + replaced.filter(isCommitted) {
            if let rowID = permanentRowIDs[object.record.rowID] { part.permanentRowIDs[object.record.rowID] = rowID }
        }
        part.replacements = replacements.filter { isCommitted($0.value) }
        part.replaced = replaced.filter(isCommitted)
        part.lost = lost.filter(isCommitted)
        part.restored = restored.filter(isCommitted)
        part.beforeMerging = beforeMerging.filter { isCommitted($0.object) }
        part.derivedChanges = derivedChanges.filter { committedRoots.contains($0.key) }
        return part
    }
}

extension ModelContext {
    /// Takes what was committed in some stores for saved, and keeps the changes of the others' objects. No relationship
    /// leads from the ones to the others.
    func finishCommittedPart(of save: PendingSave) {
        func isCommitted(_ object: ManagedObject) -> Bool {
            save.committedRoots.contains(object.entity.number.root)
        }
        let part = save.committedPart()
        let rest = (
            inserted: inserted.filter { !isCommitted($0) }, changed: changed.filter { !isCommitted($0) },
            deleted: deleted.filter { !isCommitted($0) },
            links: pendingLinks.filter { !save.committedRoots.contains($0.key.root) },
            reordered: reordered.filter { !save.committedRoots.contains($0.key.root) },
            detections: conflictDetections.filter { !isCommitted($0) }
        )
        let forgotten = (hasForgottenObjects, forgottenRows.filter { !save.committedRoots.contains($0.root) })
        inserted.removeAll { !isCommitted($0) }
        changed.removeAll { !isCommitted($0) }
        deleted.removeAll { !isCommitted($0) }
        pendingLinks = pendingLinks.filter { save.committedRoots.contains($0.key.root) }
        reordered = reordered.filter { save.committedRoots.contains($0.key.root) }
        finish(part)
        inserted = ContiguousArray(rest.inserted)
        changed = ContiguousArray(rest.changed)
        deleted = ContiguousArray(rest.deleted)
        pendingLinks = rest.links
        reordered = rest.reordered
        conflictDetections = rest.detections
        (hasForgottenObjects, forgottenRows) = forgotten
    }
}
