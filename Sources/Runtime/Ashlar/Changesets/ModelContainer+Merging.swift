import AshlarSQLite

extension ModelContainer {
    /// Merges two objects into one, in a transaction of its own.
    ///
    /// Use it for duplicates, for example of synchronized stores.
    ///
    ///     let tag = try container.mergeObjects(red.persistentModelID, rouge.persistentModelID)
    ///
    /// The object with the smaller number stays, and all references to the other lead to it. Objects that would then
    /// have the same unique values are merged too, and so are objects that require the same reference of a one-to-one
    /// relationship. If their entities differ, one of them is deleted. References between the two become nil. The
    /// history records updates and a deletion, so changesets carry them to other stores.
    ///
    /// - Parameters:
    ///   - first: An object of the container.
    ///   - second: Another object of the same entity.
    ///   - preferred: The object whose values are kept. It defaults to the first. Its missing values are taken from the
    ///     other, and to-many relationships are combined.
    ///   - author: The author of the transaction in the history.
    /// - Returns: The identifier of the object that stays.
    /// - Throws: ``ChangesetError/notMergeable(_:_:)`` if the objects cannot be merged, or ``StoreError``. Nothing is
    ///   changed then.
    @discardableResult
    public func mergeObjects(
        _ first: PersistentIdentifier, _ second: PersistentIdentifier,
        preferring preferred: PersistentIdentifier? = nil,
        author: String? = nil
    ) throws -> PersistentIdentifier {
        let root = first.number.root
        guard !first.isTemporary, !second.isTemporary, first.isRow(of: root, in: storeNumber(of: root)),
            second.isRow(of: root, in: storeNumber(of: root)),
            preferred == nil || preferred == first || preferred == second,
            let position = placement.store(of: root), Int(root) < model.entitySchemas.count
        else { throw ChangesetError.notMergeable(first, second) }
        let store = stores[position]
        return try writeChanges("merging two objects", author, to: store) { connection in
            try connection.recordingHistory(of: HistoryOrigin(author: author)) {
                let tables = ChangedTables(model, connection)
                let merger = ObjectMerger(tables)
                let table = try tables.shape(model.entitySchema(first.number.root).tableName)
                guard try merger.canMerge(table, first.rowID, second.rowID) else {
                    throw ChangesetError.notMergeable(first, second)
                }
                let row = try merger.merge(
                    table, first.rowID, second.rowID, preferring: (preferred ?? first).rowID)
                return (row == first.rowID ? first : second, try merger.changes(self))
            }
        }
    }
}

extension ObjectMerger {
    /// Returns the objects that were changed by a merge, or deleted by it.
    func changes(_ container: ModelContainer) throws -> ChangedObjects {
        var changes = ChangedObjects()
        var gone: Set<PersistentIdentifier> = []
        for (table, row, entity) in deleted {
            guard let entity = entity ?? tables.root(of: table) else { continue }
            gone.insert(
                PersistentIdentifier(
                    rowID: row, store: container.storeNumber(of: entity.number.root), entity: entity.number))
        }
        var found: Set<PersistentIdentifier> = []
        for (table, row) in updated {
            if let identifier = try tables.identifier(table, row, container) { found.insert(identifier) }
        }
        changes.deleted = gone.sorted()
        changes.updated = found.subtracting(gone).sorted()
        return changes
    }
}
