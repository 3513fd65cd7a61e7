#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// How a write-ahead log is copied into the file. SQLite's words.
public enum CheckpointMode: Int32, Sendable, Hashable, CaseIterable {
    /// As much as can be without waiting for anybody.
    case passive = 0
    /// All of it, waiting for those that write.
    case full = 1
    /// As ``full``, waiting for those that read too, so that the next save begins the log anew.
    case restart = 2
    /// As ``restart``, and the log's file becomes empty.
    case truncate = 3
}

/// What a checkpoint did.
public struct CheckpointResult: Sendable, Hashable {
    /// The number of pages in the write-ahead log.
    public var loggedPages: Int
    /// How many of them are in the file now.
    public var checkpointedPages: Int

    /// Whether the file has everything.
    public var isComplete: Bool { loggedPages == checkpointedPages }
}

extension ModelContainer {
    /// What is wrong with the store: pages, indexes and values that SQLite finds damaged, at most 100 of them, rows
    /// that refer to missing ones, and full-text indexes that are damaged or have other texts than their tables. Empty for
    /// a sound store.
    ///
    /// It reads the whole store. With SQLite before 3.44, nobody else can write while full-text indexes are looked at.
    ///
    /// - Throws: ``StoreError`` when it cannot be read at all.
    public func integrityProblems() throws -> [String] {
        // Only so old a version of SQLite does not look into full-text indexes when it looks at pages.
        let isOld = sqlite3_libversion_number() < 3_044_000
        let damages = isOld && !isReadOnly ? try maintain("checking", FullTextContents.damages) : []
        return try read("checking the integrity") { connection in
            let pages = try connection.rows("PRAGMA integrity_check").map { "\($0[0].plainText)" }.filter { $0 != "ok" }
            let references = try connection.rows(
                """
                SELECT "table", "rowid", "parent", count(*) FROM pragma_foreign_key_check()
                GROUP BY "table", "rowid", "parent" LIMIT 100
                """)
            return try pages + damages + FullTextContents.problems(connection)
                + references.map {
                    "Row \($0[1].plainText) of \($0[0].plainText) refers to a missing row of \($0[2].plainText)."
                }
        }
    }

    /// Writes the store anew without the room that deleted rows left. It needs twice the store's size on the volume for
    /// a while, and nobody else can write meanwhile.
    ///
    /// - Throws: ``StoreError``. The store is as it was then.
    public func vacuum() throws {
        try maintain("vacuuming") { connection in
            guard var metadata = try StoreMetadata(connection) else {
                throw StoreError.foreignDatabase(configuration.url)
            }
            // SQLite counts it as a change of the schema, which it is none.
            let wasKnown = try connection.integer("PRAGMA schema_version") == metadata.schemaVersion
            try connection.execute("VACUUM")
            if wasKnown { try connection.transaction { try metadata.writeSchemaVersion(to: connection) } }
        }
    }

    /// Copies the write-ahead log into the file, as far as those that use the store allow it.
    ///
    /// SQLite does that itself every ``StoreOptions/walAutocheckpoint`` pages, and when the last process closes the
    /// store; do it before the file is copied by other means, say.
    ///
    /// - Throws: ``StoreError/locked(_:waited:doing:)`` when others did not allow it within the busy timeout.
    @discardableResult
    public func checkpoint(_ mode: CheckpointMode = .passive) throws -> CheckpointResult {
        try maintain("checkpointing") { connection in
            var logged: Int32 = 0
            var done: Int32 = 0
            let code = sqlite3_wal_checkpoint_v2(connection.database, "main", mode.rawValue, &logged, &done)
            if code != SQLITE_OK { throw SQLiteError(code, connection: connection.database) }
            // A store in memory has no log, and says -1.
            return CheckpointResult(loggedPages: max(0, Int(logged)), checkpointedPages: max(0, Int(done)))
        }
    }

    /// Lets a closure use the connection that writes, and says of an error what was being done.
    func maintain<Result>(_ doing: String, _ body: (Connection) throws -> Result) throws -> Result {
        if isReadOnly { throw StoreError.readOnly(configuration.url, reason: "the container does not allow saving") }
        do {
            return try pool.write(body)
        } catch let error as SQLiteError {
            throw StoreError(error, configuration.url, doing: doing, waited: configuration.options.busyTimeout)
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
