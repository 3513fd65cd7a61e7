import AshlarSQLite

extension ModelContainer {
    /// Checks with SQLite, on the writing connection, whether others committed anything.
    func noteForeignCommits(_ connection: Connection) throws(SQLiteError) {
        if pool.foreignCommits.exist { return }
        for store in stores where !store.configuration.isStoredInMemoryOnly {
            pool.foreignCommits.note(try connection.countedDataVersion(store.schemaName), of: store.schemaName)
        }
    }

    /// Returns whether others may have committed anything to the stores, by the data version of a connection that has
    /// just read.
    func foreignCommitsExist(_ connection: Connection, _ root: UInt16) -> Bool {
        if pool.foreignCommits.exist { return true }
        guard let number = placement.store(of: root), !stores[number].configuration.isStoredInMemoryOnly else {
            return false
        }
        // The version changes with each commit by another connection, including the container's own writer.
        guard let version = try? connection.dataVersion(stores[number].schemaName) else { return false }
        if connection.state.seenDataVersions[number] == version { return false }
        let isAsked: Bool? = pool.writeIfFree { writer in
            do {
                try noteForeignCommits(writer)
                return true
            } catch {
                return false
            }
        }
        // A busy writer is checked with the next read. Until then the author of a commit is unknown, unless the writer
        // saves.
        guard isAsked == true else { return !pool.foreignCommits.areExcluded || pool.foreignCommits.exist }
        connection.state.seenDataVersions[number] = version
        return pool.foreignCommits.exist
    }
}
