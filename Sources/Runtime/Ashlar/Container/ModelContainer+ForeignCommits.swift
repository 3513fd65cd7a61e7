import AshlarSQLite

extension ModelContainer {
    /// Asks SQLite, on the connection that writes, whether others committed anything.
    func noteForeignCommits(_ connection: Connection) throws(SQLiteError) {
        if pool.foreignCommits.exist { return }
        for store in stores where !store.configuration.isStoredInMemoryOnly {
            pool.foreignCommits.note(try connection.countedDataVersion(store.schemaName), of: store.schemaName)
        }
    }

    /// Returns whether others may have committed anything to the stores, as a connection knows that has just read.
    func foreignCommitsExist(_ connection: Connection, _ root: UInt16) -> Bool {
        if pool.foreignCommits.exist { return true }
        guard let number = placement.store(of: root), !stores[number].configuration.isStoredInMemoryOnly else {
            return false
        }
        // It changes with each commit by another connection, the container's own writer included.
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
        // A writer that is at work is asked with the next read. Until then nobody knows who committed, unless it saves.
        guard isAsked == true else { return !pool.foreignCommits.areExcluded || pool.foreignCommits.exist }
        connection.state.seenDataVersions[number] = version
        return pool.foreignCommits.exist
    }
}
