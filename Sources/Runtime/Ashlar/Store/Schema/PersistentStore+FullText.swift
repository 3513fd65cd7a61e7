import AshlarSQLite

extension PersistentStore {
    /// Returns the problems of the store's full-text indexes: those whose texts differ from their tables.
    func fullTextProblems(_ connection: Connection) throws(SQLiteError) -> [String] {
        var result: [String] = []
        for table in try presentFullTextTables(connection) {
            do {
                // The file defines its tables, and may come from elsewhere.
                guard
                    let row = try connection.guarded(
                        by: StatementGuard(allows: StatementGuard.onlyReads),
                        { () throws(SQLiteError) in try connection.integer(table.contents.comparison) })
                else { continue }
                result.append("The full-text index \(table.name) and its table differ in row \(row).")
            } catch {
                guard Self.isFullTextDamage(error) else { throw error }
                result.append(Self.damage(table.name))
            }
        }
        return result
    }

    /// Returns the problems within full-text indexes: those whose terms do not match their texts.
    ///
    /// FTS5 checks them when a row is written, and none is written here. From version 3.44 on, SQLite's own check
    /// includes them.
    func fullTextDamages(_ connection: Connection) throws(SQLiteError) -> [String] {
        var result: [String] = []
        for table in try presentFullTextTables(connection) {
            let name = table.name.quotedIdentifier
            do {
                try connection.execute("INSERT INTO \(name) (\(name)) VALUES ('integrity-check')")
            } catch {
                guard Self.isFullTextDamage(error) else { throw error }
                result.append(Self.damage(table.name))
            }
        }
        return result
    }

    /// Returns the model's full-text indexes that the store has. With configurations, other stores may have some.
    private func presentFullTextTables(
        _ connection: Connection
    ) throws(SQLiteError) -> [ModelDescription.VirtualTable] {
        if fullTextTables.isEmpty { return [] }
        let schema = try connection.schema(of: schemaName)
        return fullTextTables.filter { schema.object(.table, named: $0.name)?.isVirtualTable == true }
    }

    /// Returns the message about an index that FTS5 cannot read.
    private static func damage(_ name: String) -> String { "The full-text index \(name) is damaged." }

    /// Returns whether an error shows that FTS5's own tables of an index are damaged or missing.
    private static func isFullTextDamage(_ error: SQLiteError) -> Bool {
        error.code == SQLITE_CORRUPT || error.code == SQLITE_ERROR && error.message.contains("constructor failed")
            || error.message.contains("invalid fts5 file format")
    }
}

extension ModelDescription {
    /// The current version's full-text indexes, by name.
    var fullTextTables: [VirtualTable] {
        (currentVersion?.virtualTables ?? []).filter(\.isFullText).sorted { $0.name < $1.name }
    }
}
