import AshlarSQLite

extension ModelContainer {
    /// Whether a migration left columns or tables that the model has no more; see ``MigrationOptions/defersRemovals``.
    /// One of several stores is enough.
    ///
    /// The `NSPersistentStoreDeferredLightweightMigrationOptionKey` of a store's metadata in Core Data.
    ///
    /// - Throws: ``StoreError``.
    public func hasPendingDeferredMigration() throws -> Bool {
        for store in stores where try store.hasPendingDeferredMigration() { return true }
        return false
    }

    /// Takes away all that migrations left in the stores that can be written, slice by slice, so that others can save in
    /// between.
    ///
    /// It is cancelled with the task that it is called in; what was done stays done, and the next call goes on. Core
    /// Data's `finishDeferredLightweightMigration()`.
    ///
    /// - Throws: ``StoreError``, or `CancellationError`.
    public func finishDeferredMigration() throws {
        while try finishDeferredMigrationTask() { try Task.checkCancellation() }
    }

    /// Takes away one slice of what migrations left: a thousand rows of a removed table, or a removed column, which is a
    /// pass over its table. True while more is left.
    ///
    /// Each slice is a transaction of its own. Core Data's `finishDeferredLightweightMigrationTask()`.
    ///
    /// - Throws: ``StoreError``.
    @discardableResult
    public func finishDeferredMigrationTask() throws -> Bool {
        for store in maintainedStores {
            if try store.finishDeferredMigrationTask() { return true }
        }
        return false
    }
}

extension PersistentStore {
    /// Whether a migration left columns or tables in the store; see ``ModelContainer/hasPendingDeferredMigration()``.
    ///
    /// - Throws: ``StoreError``.
    public func hasPendingDeferredMigration() throws -> Bool {
        try read("looking for deferred removals") { try !DeferredRemoval.all($0, in: schemaName).isEmpty }
    }

    /// Takes away one slice of what migrations left in the store; see ``ModelContainer/finishDeferredMigrationTask()``.
    ///
    /// - Throws: ``StoreError``.
    @discardableResult
    public func finishDeferredMigrationTask() throws -> Bool {
        try write("taking away what a migration left") { connection in
            let pending = try DeferredRemoval.all(connection, in: schemaName)
            guard let removal = pending.first else { return false }
            let isGone = try connection.transaction(writing: self) { try remove(removal, connection) }
            if !isGone || pending.count > 1 { return true }
            // Their rows had large values in files, perhaps. Those of them that somebody reads stay for another time.
            let externalData = connection.state.externalDataOfStores[schemaName] ?? connection.state.externalData
            _ = try externalData?.removeOrphans(connection, waiting: false)
            return false
        }
    }

    /// Takes a slice away; true when nothing is left of what was to be removed.
    private func remove(_ removal: DeferredRemoval, _ connection: Connection) throws -> Bool {
        // Another process may have taken it away meanwhile.
        guard try DeferredRemoval.all(connection, in: schemaName).contains(removal) else { return true }
        guard var metadata = try StoreMetadata(connection, in: schemaName) else {
            throw StoreError.foreignDatabase(url)
        }
        let wasKnown = try connection.integer("PRAGMA \(schemaName).schema_version") == metadata.schemaVersion
        guard try removal.removeSlice(connection, in: schemaName) else { return false }
        let ledger = MigrationLedger(
            connection: connection, program: configuration.migration.program, schemaName: schemaName)
        try ledger.add(.deferredRemoval, to: metadata, detail: removal.name)
        if wasKnown { try metadata.writeSchemaVersion(to: connection, in: schemaName) }
        return true
    }
}
