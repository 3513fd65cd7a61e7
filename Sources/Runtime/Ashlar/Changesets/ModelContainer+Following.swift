import AshlarSQLite
import SystemFoundation

/// Functions that are needed only to follow a log.
extension ModelContainer {
    /// Deletes the files of large values that no row refers to, including replaced ones that were kept.
    ///
    /// - Returns: False if another connection writes, or reads an older state, so that nothing could be deleted.
    package func removeUnusedFiles() throws -> Bool {
        try stores[0].write("deleting large values") { connection in
            guard let files = connection.state.externalData else { return true }
            return try files.removeOrphans(connection, waiting: false) != nil
        }
    }

    /// Reads the store in one transaction.
    package func readRows<Result>(_ doing: String, _ body: (Connection) throws -> Result) throws -> Result {
        try stores[0].read(doing) { connection in
            try connection.execute("BEGIN")
            return try connection.finishTransaction { try body(connection) }
        }
    }

    /// Writes the store in one transaction, without notifications.
    package func writeTables<Result>(_ doing: String, _ body: (Connection) throws -> Result) throws -> Result {
        try stores[0].write(doing) { connection in
            try connection.transaction(writing: stores[0]) { try body(connection) }
        }
    }

    /// Changes tables that do not belong to the model, in one transaction. If the schema was recorded as compared with
    /// the model before, it still is afterwards.
    package func changeTables(_ doing: String, _ body: (Connection) throws -> Void) throws {
        try stores[0].write(doing) { connection in
            try connection.transaction(writing: stores[0]) {
                var metadata = try StoreMetadata(connection)
                let wasCompared = try metadata?.schemaVersion == connection.integer("PRAGMA schema_version")
                try body(connection)
                if wasCompared { try metadata?.writeSchemaVersion(to: connection) }
            }
            connection.forgetStatements()
        }
    }

    /// Returns the hash of the version of the model in the store.
    package func versionHash() throws -> String { try stores[0].metadata().versionHash }

    /// Returns whether a hash belongs to a version of the model before the newest.
    package func knowsEarlierVersion(_ hash: String) -> Bool {
        model.versions.dropLast().contains { $0.versionHash == hash }
    }

    /// Calls a closure after each commit of this process, and after commits of other processes that the store's watcher
    /// reports, until the listener is removed.
    package func addCommitListener(_ number: UUID, _ listener: @escaping @Sendable () -> Void) {
        pool.history?.addListener(number, listener)
    }

    package func removeCommitListener(_ number: UUID) { pool.history?.removeListener(number) }

    /// Returns the number of the newest change in the store's history.
    package static func newestChange(_ connection: Connection) throws(SQLiteError) -> Int64 {
        try connection.integer("SELECT max(\"number\") FROM \"ashlar$change\"") ?? 0
    }

    /// Migrates a file to the container's version of the model, with the container's migration plan.
    ///
    /// - Throws: ``StoreError``, or an error of a stage.
    package func migrateFile(at url: URL) throws {
        var configuration = configuration
        configuration.url = url
        configuration.migration.backup = nil
        configuration.externalStorageThreshold = .max
        _ = try ModelContainer(describedBy: model, configuration: configuration)
    }

    /// Opens a connection to a file that is not the file of an open store, with the functions that its triggers call.
    package static func connection(toFileAt url: URL) throws -> Connection { try Connection(toWrite: url) }

    /// Notifies contexts of changes that were made outside of them.
    package func post(_ changes: ChangedObjects, author: String?) {
        hub.post(
            ContextNotification(
                kind: .didSave, insertedIdentifiers: changes.inserted, updatedIdentifiers: changes.updated,
                deletedIdentifiers: changes.deleted, refreshedIdentifiers: [], invalidatedAllIdentifiers: false,
                author: author), from: nil)
    }
}
