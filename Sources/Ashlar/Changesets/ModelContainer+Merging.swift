import AshlarSQLite

extension ModelContainer {
    /// Makes two objects one, in a transaction of its own.
    ///
    ///     let tag = try container.mergeObjects(red.persistentModelID, rouge.persistentModelID)
    ///
    /// The one with the smaller number stays. References to the other lead to it from then on, in relationships of all
    /// kinds, ordered ones included; objects that would be the same by that, as they have the same unique values or refer
    /// to what can be referred to once only, become one too where they must have the reference. References between the
    /// two are emptied. The history has all of that as updates and a deletion, so that changesets carry it to other stores.
    ///
    /// - Parameters:
    ///   - first: An object of the container.
    ///   - second: Another one, of the same entity.
    ///   - preferred: The one of the two whose values are kept, the first where it is nil. Properties for which it has no value are
    ///     taken from the other; relationships that lead to many objects have those of both.
    ///   - author: The author in the store's history.
    /// - Returns: The identifier of the object that stays.
    /// - Throws: ``ChangesetError/notMergeable(_:_:)``, ``StoreError``. Nothing is changed then.
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
    /// The objects that are others now, or gone.
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
