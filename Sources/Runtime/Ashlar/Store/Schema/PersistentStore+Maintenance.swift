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
        // Only so old a version of SQLite does not look into full-text indexes when it looks at pages.
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

    /// The files of large values that are missing or cut off, at most 100 of them.
    private func externalDataProblems(_ connection: Connection) throws -> [String] {
        guard let folder = ExternalDataFolder(of: connection.database, schemaName: schemaName) else { return [] }
        var problems: [String] = []
        // Nobody deletes a file to which a row refers in the state that is read.
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
            // SQLite counts it as a change of the schema, which it is none.
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

    /// Runs a closure for which nobody may read an older state, and says so where contexts of this container do.
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
            // A store in memory has no log, and says -1.
            return CheckpointResult(loggedPages: max(0, logged), checkpointedPages: max(0, done))
        }
    }
}

extension SQLiteValue {
    /// The value as a message has it.
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
