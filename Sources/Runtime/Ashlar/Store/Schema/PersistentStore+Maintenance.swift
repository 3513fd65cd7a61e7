import AshlarSQLite

extension PersistentStore {
    /// Returns descriptions of all damage in the store; empty for a sound store.
    ///
    /// See ``ModelContainer/integrityProblems()``.
    ///
    ///     for problem in try store.integrityProblems() { print(problem) }
    ///
    /// - Throws: ``StoreError`` if the store cannot be read at all.
    /// - Complexity: O(*n*) in the size of the store.
    public func integrityProblems() throws -> [String] {
        // Older versions of SQLite do not check full-text indexes in their integrity check.
        let isOld = SQLiteLibrary.versionNumber < 3_044_000
        let damages =
            isOld && !isReadOnly ? try write("checking") { try fullTextDamages($0) } : []
        return try read("checking the integrity") { connection in
            let pages = try connection.rows("PRAGMA \(schemaName).integrity_check").map { "\($0[0].plainText)" }
                .filter { $0 != "ok" }
            var references: Set<String> = []
            try connection.visitForeignKeyViolations(in: schemaName) { found in
                let row = found.rowID.map { "Row \($0)" } ?? "A row"
                references.insert("\(row) of \(found.table) refers to a missing row of \(found.parent).")
                return references.count < 100
            }
            let differences = try fullTextProblems(connection)
            let cycles = try treeReferences.flatMap { try $0.problems(connection, in: schemaName) }
            let shared = try oneToOneReferences.flatMap { try $0.problems(connection, in: schemaName) }
            return try pages + damages + differences.filter { !damages.contains($0) }
                + RowNumbers.problems(connection, in: schemaName)
                + references.sorted() + shared + cycles + externalDataProblems(connection)
        }
    }

    /// Returns the problems of missing or truncated files of large values, at most 100 of them.
    private func externalDataProblems(_ connection: Connection) throws -> [String] {
        guard let folder = ExternalDataFolder(of: connection.database, schemaName: schemaName) else { return [] }
        var problems: [String] = []
        // In the state that is read, no process deletes a file that a row refers to.
        let hasTransaction = !connection.isInAutocommit
        if !hasTransaction { try connection.execute("BEGIN") }
        defer { if !hasTransaction { try? connection.execute("COMMIT") } }
        try connection.forEachExternalReference(in: schemaName) { found in
            guard problems.count < 100, let problem = folder.problem(of: found.reference) else { return }
            let row = found.rowID.map { " of row \($0)" } ?? ""
            problems.append(
                "\(found.table).\(found.column)\(row): the file \(folder.file(found.reference.name).path) \(problem).")
        }
        return problems
    }

    /// Rewrites the store's file without the space that deleted rows left.
    ///
    /// See ``ModelContainer/vacuum()``.
    ///
    ///     try store.vacuum()
    ///
    /// - Throws: ``StoreError``. The store is as it was then.
    /// - Complexity: O(*n*) in the size of the store.
    public func vacuum() throws {
        try write("vacuuming") { connection in
            try connection.checkBeforeWriting(schemaName)
            guard var metadata = try StoreMetadata(connection, in: schemaName) else {
                throw StoreError.foreignDatabase(url)
            }
            // SQLite counts `VACUUM` as a change of the schema, although the schema stays the same.
            let wasKnown = try connection.integer("PRAGMA \(schemaName).schema_version") == metadata.schemaVersion
            try connection.execute("VACUUM \(schemaName)")
            if wasKnown {
                try connection.transaction(writing: self) {
                    try metadata.writeSchemaVersion(to: connection, in: schemaName)
                }
            }
        }
    }

    /// Copies the write-ahead log into the store's file, as far as other users of the store allow.
    ///
    /// See ``ModelContainer/checkpoint(_:)``.
    ///
    ///     let result = try store.checkpoint(.truncate)
    ///
    /// - Parameter mode: The kind of checkpoint. It defaults to ``CheckpointMode/passive``.
    /// - Throws: ``StoreError/locked(_:waited:doing:)`` if other processes prevent it for longer than the busy timeout,
    ///   or ``StoreError/pinnedQueryGenerations(_:since:doing:)`` if contexts of this container do.
    @discardableResult
    public func checkpoint(_ mode: CheckpointMode = .passive) throws -> CheckpointResult {
        try blamingOwnContexts("checkpointing") { try copyLog(mode) }
    }

    /// Runs a closure that requires that no older state is read. If contexts of this container read one, the error
    /// names them.
    func blamingOwnContexts<Result>(_ doing: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as StoreError {
            switch error {
            case .locked, .externalDataInUse:
                guard let since = pool.generations.dates.min() else { throw error }
                throw StoreError.pinnedQueryGenerations(url, since: since, doing: doing)
            default: throw error
            }
        }
    }

    private func copyLog(_ mode: CheckpointMode) throws -> CheckpointResult {
        try write("checkpointing") { connection in
            let (logged, done) = try connection.checkpoint(schemaName, mode: mode.rawValue)
            // For a store in memory, which has no log, SQLite returns -1.
            return CheckpointResult(loggedPages: max(0, logged), checkpointedPages: max(0, done))
        }
    }
}

extension SQLiteValue {
    /// The value as text for a message.
    fileprivate var plainText: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): value
        case .blob(let value): "\(value.count) bytes"
        }
    }
}
