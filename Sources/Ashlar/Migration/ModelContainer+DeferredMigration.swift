extension ModelContainer {
    /// Whether a migration left columns or tables that the model has no more; see ``MigrationOptions/defersRemovals``.
    ///
    /// The `NSPersistentStoreDeferredLightweightMigrationOptionKey` of a store's metadata in Core Data.
    ///
    /// - Throws: ``StoreError``.
    public func hasPendingDeferredMigration() throws -> Bool {
        try read("looking for deferred removals") { try !DeferredRemoval.all($0).isEmpty }
    }

    /// Takes away all that migrations left, slice by slice, so that others can save in between.
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
        try maintain("taking away what a migration left") { connection in
            let pending = try DeferredRemoval.all(connection)
            guard let removal = pending.first else { return false }
            guard try connection.transaction({ try remove(removal, connection) }) else { return true }
            if pending.count > 1 { return true }
            // Their rows had large values in files, perhaps. Those of them that somebody reads stay for another time.
            _ = try connection.externalData?.removeOrphans(connection, waiting: false)
            return false
        }
    }

    /// Takes a slice away; true when nothing is left of what was to be removed.
    private func remove(_ removal: DeferredRemoval, _ connection: Connection) throws -> Bool {
        // Another process may have taken it away meanwhile.
        guard try DeferredRemoval.all(connection).contains(removal) else { return true }
        guard var metadata = try StoreMetadata(connection) else {
            throw StoreError.foreignDatabase(configuration.url)
        }
        let wasKnown = try connection.integer("PRAGMA schema_version") == metadata.schemaVersion
        guard try removal.removeSlice(connection) else { return false }
        if let version = model.currentVersion {
            let ledger = MigrationLedger(connection: connection, program: configuration.migration.program)
            try ledger.add(.deferredRemoval, from: metadata.versionName, to: version, detail: removal.name)
        }
        if wasKnown { try metadata.writeSchemaVersion(to: connection) }
        return true
    }
}
