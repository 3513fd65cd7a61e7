import AshlarSQLite

/// Functions that empty stores, for programs that start over and for tests.
extension ModelContainer {
    /// Deletes all objects of all stores, ignoring deletion rules, and keeps the stores open.
    ///
    /// Use it for a sign-out, for example. ``destroyStore(at:)`` removes the files of a closed store.
    ///
    ///     try container.erase()
    ///
    /// Contexts that merge the deletion release their objects. Objects with unsaved changes conflict with the next
    /// save, as after any other deletion. The history records the deletion if it is on. If there are several stores,
    /// each is emptied in a transaction of its own. The files keep their size until ``vacuum()``. SwiftData has a
    /// method of the same name.
    ///
    /// - Throws: ``BatchError/readOnly(_:)`` if a store is read-only, or ``StoreError`` if one cannot be written.
    public func erase() throws {
        let context = ModelContext(self)
        for position in stores.indices { try context.deleteAllRows(ofStoreAt: position) }
    }

    /// Deletes all objects of all stores, as ``erase()`` does. SwiftData too calls the newer function `erase()`.
    ///
    ///     try container.deleteAllData()
    ///
    /// - Throws: The errors of ``erase()``.
    public func deleteAllData() throws { try erase() }
}

extension ModelContext {
    fileprivate func deleteAllRows(ofStoreAt position: Int) throws {
        let store = container.stores[position]
        if store.isReadOnly { throw BatchError.readOnly(store.url) }
        let entities = container.model.entities.filter { entity in
            entity.number.root == entity.number.entity && container.placement.store(of: entity.number.root) == position
        }
        let roots = Set(entities.map(\.number.root))
        let files = RetiredFiles(container, roots)
        var counts: [UInt16: Int] = [:]
        try writeBatch("deleting all objects", store, roots) { connection in
            try files.collect(connection) {
                // Foreign keys are checked at the commit. By then no row is left that could refer to another.
                for table in container.model.linkTables(ofRoots: roots) {
                    try connection.execute("DELETE FROM \(table.quotedIdentifier)")
                }
                for entity in entities {
                    try connection.execute("DELETE FROM \(entity.tableName.quotedIdentifier)")
                    counts[entity.number.root] = connection.changes
                }
            }
        }
        for entity in entities {
            didWriteBatch(
                BatchChanges(
                    kind: .delete, entity: entity.number, count: counts[entity.number.root] ?? 0,
                    roots: [entity.number.root], identifiers: nil))
        }
    }
}

extension ModelDescription {
    /// Returns the tables that hold pairs of objects of some hierarchies.
    fileprivate func linkTables(ofRoots roots: Set<UInt16>) -> [String] {
        let tables = entities.filter { roots.contains($0.number.root) }.flatMap { entity in
            entity.relationships.compactMap { relationship in
                if case .joinTable(let table, _, _, _) = relationship.storage { table } else { nil }
            }
        }
        return Set(tables).sorted()
    }
}
