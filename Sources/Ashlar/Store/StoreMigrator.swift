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
    func bringUpToDate(_ connection: Connection, _ metadata: StoreMetadata) throws -> StoreMetadata {
        let position = try position(of: metadata)
        let target = model.versions.count - 1
        if position == target { return metadata }
        guard isWritable else {
            throw StoreError.readOnly(
                url, reason: "it is of the version \"\(metadata.versionName)\" and would have to be migrated")
        }
        // The pragma does nothing inside a transaction, and a rebuilt table must not set off its own actions.
        try connection.execute("PRAGMA foreign_keys = OFF")
        defer { connection.forgetStatements() }
        let result: StoreMetadata
        do {
            result = try migrate(connection)
        } catch {
            try connection.execute("PRAGMA foreign_keys = ON")
            throw error
        }
        try connection.execute("PRAGMA foreign_keys = ON")
        return result
    }

    private func migrate(_ connection: Connection) throws -> StoreMetadata {
        try connection.execute("BEGIN IMMEDIATE")
        do {
            // Another process may have migrated it while this one waited.
            guard var metadata = try StoreMetadata(connection) else { throw StoreError.foreignDatabase(url) }
            let start = try position(of: metadata)
            let from = metadata.versionName
            for index in (start + 1)..<max(start + 1, model.versions.count) {
                try run(model.versions[index], after: model.versions[index - 1].name, connection)
                metadata.setVersion(model.versions[index])
            }
            try metadata.write(to: connection)
            try checkReferences(connection, from: from, to: metadata.versionName)
            try connection.execute("COMMIT")
            return metadata
        } catch {
            if sqlite3_get_autocommit(connection.database) == 0 { try connection.execute("ROLLBACK") }
            throw error
        }
    }

    private func run(_ version: ModelDescription.Version, after previous: String, _ connection: Connection) throws {
        for statement in version.migration {
            do {
                switch statement {
                case .change(let sql): try connection.execute(sql)
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
