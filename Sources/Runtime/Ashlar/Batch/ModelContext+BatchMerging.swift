import AshlarSQLite

/// Merging the changes of batch operations. A context compares its objects of the changed tables with the rows, so that
/// the cost grows with the number of these objects and not with the size of the operation.
extension ModelContext {
    /// Merges the changes of this context's own batch. They are already committed, so that an error is deferred until
    /// the next throwing call.
    func mergeOwn(_ changes: BatchChanges) {
        do {
            try mergeOwnThrowing(changes)
        } catch {
            errors.note(error)
        }
    }

    private func mergeOwnThrowing(_ changes: BatchChanges) throws {
        try parent?.mergeOwnThrowing(changes)
        try merge(changes, isOwn: true)
    }

    func merge(_ changes: BatchChanges, isOwn: Bool = false) throws {
        if changes.changesKnownRows {
            for root in changes.roots.sorted() { try refreshObjects(container.model.entity(root), changes, isOwn) }
        }
        forgetMembers(leadingTo: changes.roots)
        // The changes of this context's own batch are not conflicts.
        try settlePartners(ofRowsIn: changes.roots, isOwn ? .mergeByPropertyObjectTrump : nil)
        for root in container.model.rootsWithDerivedColumns { try refreshDerivedValues(root) }
        for results in listeners.liveResults.all { results.noteUnknownChanges(of: changes.writtenColumns) }
        // Live results are notified of a batch separately from the changes of objects.
        if isOwn, !listeners.liveResults.isEmpty { updateLiveResults() }
    }

    /// Notes which rows of changed objects others changed or deleted before this context's batch writes. Changes of the
    /// batch itself to other rows are not conflicts.
    func noteRowsOfOthers(_ roots: Set<UInt16>, _ connection: Connection) throws {
        pending.rowsOfOthers = []
        for root in roots.sorted() {
            let objects = (pending.changed + pending.deleted).filter { $0.rootNumber == root && $0.record.version > 0 }
            if objects.isEmpty { continue }
            let versions = try Self.versions(of: objects, container.model.entity(root), connection)
            for object in objects where versions[object.record.rowID] != object.record.version {
                pending.rowsOfOthers.insert(RowKey(object))
            }
        }
    }

    /// Updates the objects of a table whose rows have another version.
    private func refreshObjects(_ root: EntityDescription, _ changes: BatchChanges, _ isOwn: Bool) throws {
        let deleted = pending.deleted.filter { $0.entity.number.root == root.number.root }
        let objects = registeredObjects(of: root)
        if objects.isEmpty, deleted.isEmpty { return }
        let versions = try read("reading versions of \(root.name)") { connection in
            try Self.versions(of: objects + deleted, root, connection)
        }
        let others = isOwn ? pending.rowsOfOthers : []
        // Changes of this context's own batch are not conflicts. The deletion of these objects may be rolled back.
        for object in deleted {
            if !isOwn || others.contains(RowKey(object)) {
                // If the deletion is rolled back, the object gets the values of its row.
                if versions[object.record.rowID] != object.record.version { pending.noteRowToMerge(RowKey(object)) }
                continue
            }
            guard let version = versions[object.record.rowID], version != object.record.version,
                let stored = try storedCopy(of: object.record.rowID, like: object)
            else { continue }
            if object.record.original.isEmpty {
                object.restore(stored.snapshot())
                object.record.version = stored.record.version
            } else {
                try combine(object, with: stored, settlesConflicts: false)
            }
        }
        for object in objects where object.record.state == .persisted && object.isIn(self) {
            let rowID = object.record.rowID
            guard let version = versions[rowID] else {
                let row = RowKey(root: root.number.root, rowID: rowID)
                let isChanged = object.record.isListed && !object.keepsRow
                if isChanged, changes.kind != .delete || pending.rowsToMerge.contains(row) || others.contains(row) {
                    // A save deleted the row. The next save reports the conflict.
                    pending.noteRowToMerge(row)
                } else {
                    discardChanges(of: object)
                    lose(object)
                }
                continue
            }
            if version != object.record.version {
                let isForeign = !isOwn || others.contains(RowKey(object))
                try refreshObject(object, mergeChanges: true, settlesConflicts: isForeign)
            }
        }
    }

    private func registeredObjects(of root: EntityDescription) -> [ManagedObject] {
        (registry.knownMap(for: root.number.root)?.objects ?? []).compactMap { object in
            object?.record.state == .persisted ? object : nil
        }
    }

    private static func versions(
        of objects: [ManagedObject], _ root: EntityDescription, _ connection: Connection
    ) throws -> [Int64: Int64] {
        let rowIDs = objects.map(\.record.rowID).sorted()
        let table = root.tableName.quotedIdentifier
        let statement = try connection.statement(
            "SELECT \(table).\"id$\", \(table).\"version$\" FROM json_each(?1) AS \"wanted$\" CROSS JOIN \(table) "
                + "ON \(table).\"id$\" = \"wanted$\".\"value\"")
        defer { statement.reset() }
        statement.bind(SQLiteValue.text("[" + rowIDs.map(String.init).joined(separator: ",") + "]"), 1)
        var versions: [Int64: Int64] = [:]
        while try statement.step() {
            versions[statement.integer(0)] = statement.integer(1)
        }
        return versions
    }

    private func refreshDerivedValues(_ root: EntityDescription) throws {
        let map = registry.map(for: root.number.root)
        let rowIDs = registeredObjects(of: root).map(\.record.rowID).sorted()
        if !rowIDs.isEmpty { try readDerivedValues(root, rowIDs, map) }
    }
}
