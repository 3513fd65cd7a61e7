import AshlarSQLite
import SystemFoundation

/// The functions that only following a log needs.
extension ModelContainer {
    /// Deletes the files of large values that no row refers to, kept ones included.
    ///
    /// - Returns: False where somebody writes, or reads an older state, so that nothing could be deleted.
    package func removeUnusedFiles() throws -> Bool {
        try stores[0].write("deleting large values") { connection in
            guard let files = connection.state.externalData else { return true }
            return try files.removeOrphans(connection, waiting: false) != nil
        }
    }

    /// Reads the store in one transaction of its own.
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

    /// Changes the schema beside the model's, in a transaction after which the schema counts as compared with the model's if it did before.
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

    /// The hash of the version of the model that the store has.
    package func versionHash() throws -> String { try stores[0].metadata().versionHash }

    /// Returns whether the model knows a version of a hash as one before its newest.
    package func knowsEarlierVersion(_ hash: String) -> Bool {
        model.versions.dropLast().contains { $0.versionHash == hash }
    }

    /// Calls a closure after each commit of this process, and after those of others that the store's watcher reports,
    /// until it is removed.
    package func addCommitListener(_ number: UUID, _ listener: @escaping @Sendable () -> Void) {
        pool.history?.addListener(number, listener)
    }

    package func removeCommitListener(_ number: UUID) { pool.history?.removeListener(number) }

    /// The number of the newest change in the store's history.
    package static func newestChange(_ connection: Connection) throws(SQLiteError) -> Int64 {
        try connection.integer("SELECT max(\"number\") FROM \"ashlar$change\"") ?? 0
    }

    /// Migrates a file to the container's version of the model, by the container's plan.
    ///
    /// - Throws: ``StoreError``, or what a stage throws.
    package func migrateFile(at url: URL) throws {
        var configuration = configuration
        configuration.url = url
        configuration.migration.backup = nil
        configuration.externalStorageThreshold = .max
        _ = try ModelContainer(describedBy: model, configuration: configuration)
    }

    /// A connection to a file that is nobody's store yet, or not any more, with the functions that its triggers call.
    package static func connection(toFileAt url: URL) throws -> Connection { try Connection(toWrite: url) }

    /// Tells contexts of changes that were made beside them.
    package func post(_ changes: ChangedObjects, author: String?) {
        hub.post(
            ContextNotification(
                kind: .didSave, insertedIdentifiers: changes.inserted, updatedIdentifiers: changes.updated,
                deletedIdentifiers: changes.deleted, refreshedIdentifiers: [], invalidatedAllIdentifiers: false,
                author: author), from: nil)
    }
}
