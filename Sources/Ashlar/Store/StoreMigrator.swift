import Foundation

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// Brings a store of an older version up to date: the whole chain in one transaction, or nothing of it.
struct StoreMigrator {
    let model: ModelDescription
    let url: URL
    let isWritable: Bool

    /// The metadata of the store afterwards. Throws a ``StoreError``, and leaves the store as it was then.
    ///
    /// A store that is what it was when it was last compared costs nothing but a look at SQLite's own count of changes
    /// to the schema.
    func bringUpToDate(_ connection: Connection, _ metadata: StoreMetadata) throws -> StoreMetadata {
        let position = try position(of: metadata)
        if position < model.versions.count - 1 {
            guard isWritable else {
                throw StoreError.readOnly(
                    url, reason: "it is of the version \"\(metadata.versionName)\" and would have to be migrated")
            }
            return try change(connection)
        }
        let isCurrent = metadata.schemaHash == model.versions[position].schemaHash
        if isCurrent, try connection.integer("PRAGMA schema_version") == metadata.schemaVersion { return metadata }
        let comparison = try SchemaUpdater(model: model, url: url, connection: connection).compare()
        guard isWritable else { return metadata }
        if !isCurrent || !comparison.isSame { return try change(connection) }
        return try remember(metadata, connection)
    }

    /// Remembers that the schema was found to be right. It is no reason to wait for someone who writes.
    private func remember(_ metadata: StoreMetadata, _ connection: Connection) throws -> StoreMetadata {
        do {
            return try connection.transaction {
                var metadata = metadata
                try metadata.writeSchemaVersion(to: connection)
                return metadata
            }
        } catch let error as SQLiteError where error.code == SQLITE_BUSY {
            // The next opening compares again.
            return metadata
        }
    }

    /// Migrates the store and updates its schema, as far as either is needed when the transaction has begun.
    private func change(_ connection: Connection) throws -> StoreMetadata {
        // The pragma does nothing inside a transaction, and a rebuilt table must not set off its own actions.
        try connection.execute("PRAGMA foreign_keys = OFF")
        defer { connection.forgetStatements() }
        let result: StoreMetadata
        do {
            result = try connection.transaction { try changeAll(connection) }
        } catch {
            try connection.execute("PRAGMA foreign_keys = ON")
            throw error
        }
        try connection.execute("PRAGMA foreign_keys = ON")
        return result
    }

    private func changeAll(_ connection: Connection) throws -> StoreMetadata {
        // Another process may have done it while this one waited.
        guard var metadata = try StoreMetadata(connection) else { throw StoreError.foreignDatabase(url) }
        let start = try position(of: metadata)
        let from = metadata.versionName
        let updater = SchemaUpdater(model: model, url: url, connection: connection)
        var history = try HistoryMigration(model, connection)
        // The migrations were planned for the schema that the version has now, which the store's need not be.
        let isOther = metadata.schemaHash != model.versions[start].schemaHash
        if isOther && start < model.versions.count - 1 { try updater.dropObjects() }
        for index in (start + 1)..<max(start + 1, model.versions.count) {
            let previous = model.versions[index - 1].name
            try run(model.versions[index], after: previous, isTolerant: isOther, connection, &history)
            metadata.setVersion(model.versions[index])
        }
        if let current = model.versions.last { metadata.setVersion(current) }
        try updater.update()
        try history?.finish()
        try metadata.write(to: connection)
        if start < model.versions.count - 1 {
            try checkReferences(connection, from: from, to: metadata.versionName)
        }
        return metadata
    }

    private func run(
        _ version: ModelDescription.Version, after previous: String, isTolerant: Bool, _ connection: Connection,
        _ history: inout HistoryMigration?
    ) throws {
        for statement in version.migration {
            do {
                switch statement {
                case .change(let sql):
                    try connection.execute(isTolerant ? Self.tolerant(sql) : sql)
                    history?.follow(sql)
                case .check(let sql, let reason, let entity):
                    if let rowID = try connection.integer(sql) {
                        throw StoreError.migrationRefused(
                            url, from: previous, to: version.name, entity: entity, rowID: rowID, reason: reason)
                    }
                }
            } catch let error as SQLiteError {
                throw StoreError.migrationFailed(url, from: previous, to: version.name, error: error)
            }
        }
    }

    private static let objectDrops = [
        "DROP INDEX ", "DROP TRIGGER ", "DROP TABLE \"rtree$", "DROP TABLE \"fulltext$",
    ]

    /// The statement, where it drops something that need not be there.
    private static func tolerant(_ sql: String) -> String {
        for start in Self.objectDrops where sql.hasPrefix(start) {
            let words = start.hasPrefix("DROP TABLE") ? "DROP TABLE " : start
            return "\(words)IF EXISTS \(sql.dropFirst(words.count))"
        }
        return sql
    }

    private func checkReferences(_ connection: Connection, from: String, to: String) throws {
        let statement = try connection.statement("SELECT DISTINCT \"table\" FROM pragma_foreign_key_check()")
        defer { statement.reset() }
        var tables: [String] = []
        let row = Row(statement: statement.handle, store: 0)
        while try statement.step() { tables.append(row.optionalString(0) ?? "") }
        if !tables.isEmpty {
            throw StoreError.migrationBrokeReferences(url, from: from, to: to, tables: tables.sorted())
        }
    }

    /// The position of the store's version among those that the program knows.
    func position(of metadata: StoreMetadata) throws -> Int {
        let versions = model.versions
        let exact = versions.lastIndex {
            $0.versionHash == metadata.versionHash && $0.schemaHash == metadata.schemaHash
        }
        if let position = exact ?? versions.lastIndex(where: { $0.versionHash == metadata.versionHash }) {
            return position
        }
        throw StoreError.unknownVersion(url, version: metadata.versionName, differences: differences(metadata))
    }

    /// What tells the store from the version that is nearest to it.
    private func differences(_ metadata: StoreMetadata) -> [String] {
        let stored = ModelDescription.Version.hashes(metadata.entityHashes)
        let candidates = model.versions.map { version in
            let hashes = ModelDescription.Version.hashes(version.entityHashes)
            let names = Set(hashes.keys).union(stored.keys).sorted()
            return (version.name, hashes, names.filter { hashes[$0] != stored[$0] })
        }
        guard let (nearest, hashes, names) = candidates.min(by: { $0.2.count < $1.2.count }) else { return [] }
        return ["It is nearest to \"\(nearest)\"."]
            + names.map { name in
                switch (hashes[name], stored[name]) {
                case (nil, _): "\(name): only in the store"
                case (_, nil): "\(name): not in the store"
                default: "\(name): differs"
                }
            }
    }
}
