import AshlarSQLite

extension Connection {
    /// Begins a transaction that writes one of the databases that the connection has attached.
    ///
    /// `BEGIN IMMEDIATE` would lock all of them. The connection is in no transaction after an error.
    ///
    /// - Throws: ``SQLiteError``; ``StoreError`` if the store was migrated or replaced since the container opened it.
    func begin(writing schemaName: String) throws {
        if schemaName == "main" {
            try execute("BEGIN IMMEDIATE")
        } else {
            try execute("BEGIN")
            try lock(schemaName)
        }
        try checkBegun([schemaName])
    }

    /// Adds another store to a transaction that already writes one.
    func join(_ store: PersistentStore) throws {
        try execute("UPDATE \(store.schemaName).\"ashlar$metadata\" SET \"value\" = \"value\" WHERE 0")
        try checkBeforeWriting(store.schemaName)
    }

    /// Checks that no store was migrated or replaced since the container opened it. If one was, rolls the transaction
    /// back.
    private func checkBegun(_ schemaNames: [String]) throws {
        do {
            for name in schemaNames { try checkBeforeWriting(name) }
        } catch {
            try? rollBack()
            throw error
        }
    }

    /// Locks a database for writing within a transaction. If that fails, ends the transaction.
    private func lock(_ schemaName: String) throws(SQLiteError) {
        do {
            // The statement changes no row, but takes the lock.
            try execute("UPDATE \(schemaName).\"ashlar$metadata\" SET \"value\" = \"value\" WHERE 0")
        } catch {
            try? rollBack()
            throw error
        }
    }

    /// Begins a transaction that writes some of the attached stores.
    ///
    /// Every container locks its stores in the order in which it attached them, so that two never wait for each other.
    ///
    /// - Throws: ``StoreError/locked(_:waited:doing:)`` with the store that another process has locked; ``StoreError``
    ///   if a store was migrated or replaced since the container opened it; ``SQLiteError``. The connection is in no
    ///   transaction then.
    func begin(writing stores: [PersistentStore]) throws {
        if stores.count == 1, stores[0].schemaName == "main" { return try begin(writing: "main") }
        try execute("BEGIN")
        for store in stores.sorted(by: { $0.schemaName < $1.schemaName }) {
            do {
                try lock(store.schemaName)
            } catch {
                guard error.code == SQLITE_BUSY else { throw error }
                throw StoreError.locked(store.url, waited: store.configuration.options.busyTimeout, doing: "writing")
            }
        }
        try checkBegun(stores.map(\.schemaName))
    }

    /// Runs a closure in a transaction that writes: all of it is committed, or nothing.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN IMMEDIATE")
        return try finishTransaction {
            try checkBeforeWriting()
            return try body()
        }
    }

    /// Runs a closure in a transaction that writes one of the attached stores: all of it is committed, or nothing.
    func transaction<Result>(writing store: PersistentStore, _ body: () throws -> Result) throws -> Result {
        try begin(writing: store.schemaName)
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            try? rollBack()
            throw error
        }
    }
}
