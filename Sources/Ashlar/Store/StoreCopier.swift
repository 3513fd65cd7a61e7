import Foundation

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// Copies a store as it is at one moment, while others may write it.
struct StoreCopier {
    /// How many pages a step copies, between which the task can be cancelled.
    static let pagesPerStep: Int32 = 256

    let source: StoreFile
    let target: StoreFile
    /// The name by which the connection knows the source.
    var schemaName = "main"

    /// Copies into a file beside the target and gives it the target's name when it is whole, so that the target is never
    /// a part of a store. Throws `CancellationError` when the task was cancelled.
    func copy(_ connection: Connection, _ progress: ((StoreProgress) -> Void)?, allowsReplacing: Bool) throws {
        let temporary = StoreFile(url: target.url.appendingPathExtension("copy-\(UUID().uuidString)"))
        do {
            try copyPages(connection, to: temporary.url, progress)
            try FileSystem.copyFolder(source.supportFolder, to: target.supportFolder)
            if !allowsReplacing, FileManager.default.fileExists(atPath: target.url.path) {
                throw StoreError.fileExists(target.url)
            }
            try FileSystem.rename(temporary.url, to: target.url)
        } catch {
            // The copy is nobody's; that it cannot be removed is less than what went wrong.
            for url in [temporary.url] + temporary.companions { try? FileSystem.remove(url) }
            throw error
        }
        try FileSystem.synchronize(target.url.deletingLastPathComponent())
    }

    private func copyPages(_ source: Connection, to url: URL, _ progress: ((StoreProgress) -> Void)?) throws {
        let copy = try Connection(path: url.path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        // The transaction is what makes all pages those of one moment, whoever writes meanwhile.
        let hasTransaction = !source.isInAutocommit
        if !hasTransaction { try source.execute("BEGIN") }
        defer { if !hasTransaction { try? source.execute("COMMIT") } }
        _ = try source.integer("SELECT count(*) FROM \(schemaName).\"sqlite_schema\"")
        guard let backup = sqlite3_backup_init(copy.database, "main", source.database, schemaName) else {
            throw SQLiteError(sqlite3_errcode(copy.database), connection: copy.database)
        }
        var code = SQLITE_OK
        while code == SQLITE_OK && !Task.isCancelled {
            code = sqlite3_backup_step(backup, Self.pagesPerStep)
            let total = Int(sqlite3_backup_pagecount(backup))
            progress?(StoreProgress(completedPages: total - Int(sqlite3_backup_remaining(backup)), totalPages: total))
        }
        let end = sqlite3_backup_finish(backup)
        if code == SQLITE_OK { throw CancellationError() }
        guard code == SQLITE_DONE, end == SQLITE_OK else {
            throw SQLiteError(code == SQLITE_DONE ? end : code, connection: copy.database)
        }
        // SQLite counts the copy as a change of the schema.
        if var metadata = try StoreMetadata(copy), metadata.schemaVersion != nil {
            try copy.execute("PRAGMA journal_mode = DELETE")
            try copy.transaction { try metadata.writeSchemaVersion(to: copy) }
        }
    }
}

/// How far a copy of a store is.
public struct StoreProgress: Sendable, Hashable {
    /// The number of pages that were copied.
    public var completedPages: Int
    /// The number of pages that the copy will have.
    public var totalPages: Int

    /// The part that is done, from 0 to 1.
    public var fractionCompleted: Double { totalPages == 0 ? 1 : Double(completedPages) / Double(totalPages) }
}
