import AshlarSQLite
import Containers

/// Saving objects of several stores in one transaction.
extension PendingSave {
    /// The stores that the save writes, or whose rows must stay as they are until it commits.
    ///
    /// - Throws: ``SaveError/readOnlyStore(_:entity:)``.
    func writtenStores() throws -> [PersistentStore] {
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
        for object in pending.conflictDetections.map(\.object) {
            guard let position = container.placement.store(of: object.rootNumber) else { continue }
            // Read-only stores cannot be locked against the writes of others.
            if !container.stores[position].isReadOnly { positions.insert(position) }
        }
        return positions.sorted().map { container.stores[$0] }
    }

    /// The tables whose rows the save writes.
    var writtenRoots: Set<UInt16> {
        var roots: Set<UInt16> = []
        for object in inserts { roots.insert(object.rootNumber) }
        for update in updates { roots.insert(update.object.rootNumber) }
        for object in deletes { roots.insert(object.rootNumber) }
        for key in pending.links.keys { roots.insert(key.root) }
        for key in pending.reordered.keys { roots.insert(key.root) }
        return roots
    }

    // MARK: Partly failed commits

    /// Finds out which stores were committed if the commit of several failed, because SQLite commits one after the
    /// other.
    ///
    /// - Throws: ``SaveError/partlySaved(_:failed:_:)`` if one was committed, ``SaveError/unknownOutcome(_:)`` if that
    ///   cannot be read.
    func findCommittedStores(_ connection: Connection, _ error: any Error) throws {
        guard !container.placement.isSimple, let error = error as? SQLiteError else { return }
        // An interrupted commit did not begin.
        if error.code == SQLITE_INTERRUPT { return }
        let stores = try writtenStores()
        if stores.count < 2 { return }
        var committed: [PersistentStore] = []
        do {
            for store in stores where try isCommitted(store, connection) { committed.append(store) }
        } catch {
            errors.unknownOutcome = error
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

    /// Returns whether a store contains the writes of the save. One row shows this, because a store is committed as a
    /// whole.
    private func isCommitted(_ store: PersistentStore, _ connection: Connection) throws(SQLiteError) -> Bool {
        func isInStore(_ object: ManagedObject) -> Bool {
            container.schemaName(of: object.rootNumber) == store.schemaName
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

    /// Returns the part of the save in committed stores.
    func committedPart() -> PendingSave {
        func isCommitted(_ object: ManagedObject) -> Bool { committedRoots.contains(object.rootNumber) }
        let part = PendingSave(surroundings)
        // The part contains only some of the changed objects.
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
    /// Finishes the part of a save in committed stores, and keeps the changes of objects in others. No relationship
    /// leads from one store to another.
    func finishCommittedPart(of save: PendingSave) {
        let rest = pending.rest(without: save.committedRoots)
        pending.keepOnly(save.committedRoots)
        finish(save.committedPart())
        pending.replace(with: rest)
    }
}
