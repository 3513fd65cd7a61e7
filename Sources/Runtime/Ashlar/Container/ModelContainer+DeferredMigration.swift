import AshlarSQLite

extension ModelContainer {
    /// Returns whether a migration left columns or tables that the model no longer has.
    ///
    /// A migration leaves them if ``MigrationOptions/defersRemovals`` is set. If the container has several stores, one
    /// with leftovers is enough. Core Data's counterpart is `NSPersistentStoreDeferredLightweightMigrationOptionKey` in
    /// a store's metadata.
    ///
    ///     if try container.hasPendingDeferredMigration() { try container.finishDeferredMigration() }
    ///
    /// - Throws: ``StoreError`` if a store cannot be read.
    public func hasPendingDeferredMigration() throws -> Bool {
        for store in stores where try store.hasPendingDeferredMigration() { return true }
        return false
    }

    /// Removes everything that deferred migrations left in the container's writable stores.
    ///
    /// The work is done in slices, so that other contexts and processes can save in between. Cancelling the current
    /// task stops the work between two slices. Finished slices stay finished, and the next call continues. Core Data's
    /// counterpart is `finishDeferredLightweightMigration()`.
    ///
    ///     try container.finishDeferredMigration()
    ///
    /// - Throws: ``StoreError`` if a store cannot be written, or `CancellationError` if the task was cancelled.
    public func finishDeferredMigration() throws {
        while try finishDeferredMigrationTask() { try Task.checkCancellation() }
    }

    /// Removes one slice of the leftovers of deferred migrations.
    ///
    /// A slice is a thousand rows of a removed table, or a removed column, which needs one pass over its table. Each
    /// slice is a transaction of its own. Call the method repeatedly when the program has time to spare. Core Data's
    /// counterpart is `finishDeferredLightweightMigrationTask()`.
    ///
    ///     while try container.finishDeferredMigrationTask() { await Task.yield() }
    ///
    /// - Returns: True while leftovers remain.
    /// - Throws: ``StoreError`` if a store cannot be written.
    @discardableResult
    public func finishDeferredMigrationTask() throws -> Bool {
        for store in maintainedStores {
            if try store.finishDeferredMigrationTask() { return true }
        }
        return false
    }
}

extension PersistentStore {
    /// Returns whether a migration left columns or tables in this store that the model no longer has.
    ///
    /// Use it if only one of several stores matters. ``ModelContainer/hasPendingDeferredMigration()`` covers all stores
    /// of a container.
    ///
    ///     let isPending = try store.hasPendingDeferredMigration()
    ///
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func hasPendingDeferredMigration() throws -> Bool {
        try read("looking for deferred removals") { try !DeferredRemoval.all($0, in: schemaName).isEmpty }
    }

    /// Removes one slice of the leftovers of deferred migrations in this store.
    ///
    /// The slices are those of ``ModelContainer/finishDeferredMigrationTask()``.
    ///
    ///     while try store.finishDeferredMigrationTask() {}
    ///
    /// - Returns: True while leftovers remain.
    /// - Throws: ``StoreError`` if the store cannot be written.
    @discardableResult
    public func finishDeferredMigrationTask() throws -> Bool {
        try write("removing the leftovers of a migration") { connection in
            let pending = try DeferredRemoval.all(connection, in: schemaName)
            guard let removal = pending.first else { return false }
            let isGone = try connection.transaction(writing: self) { try remove(removal, connection) }
            if !isGone || pending.count > 1 { return true }
            // Rows of the removed table may have had large values in files. Files that others still read are deleted
            // later.
            let externalData = connection.state.externalDataOfStores[schemaName] ?? connection.state.externalData
            _ = try externalData?.removeOrphans(connection, waiting: false)
            return false
        }
    }

    /// Removes a slice. Returns true if nothing is left of the table or column.
    private func remove(_ removal: DeferredRemoval, _ connection: Connection) throws -> Bool {
        // Another process may have removed it in the meantime.
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
