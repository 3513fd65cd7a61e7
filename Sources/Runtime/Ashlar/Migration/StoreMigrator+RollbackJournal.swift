import AshlarSQLite
import SystemFoundation

/// A migration that rewrites tables runs without the write-ahead log if no other connection has the store open.
///
/// With a log, each page of a rewritten table is written twice and read once. A rollback journal holds only the earlier
/// content of changed pages, so new pages are written once. It blocks all other connections meanwhile, while a log lets
/// them read the earlier state; an opening waits, see ``MigrationOptions/waitingTime``. If the process is killed,
/// SQLite rolls the journal back at the next opening.
extension StoreMigrator {
    /// The error if the migration has to be compared with the earlier state of the store, which only a log keeps.
    struct SnapshotNeeded: Error {}

    /// The time to wait for other connections, which usually migrate the store themselves.
    var patience: Duration { max(busyTimeout, options.waitingTime) }

    /// The work that was determined before the store left its log.
    struct Preparation {
        fileprivate let metadata: StoreMetadata
        fileprivate let schemaVersion: Int64?
        let work: Work

        /// Returns whether the store is still in the state that the work was determined for.
        func holds(_ metadata: StoreMetadata, _ connection: Connection) throws -> Bool {
            try metadata == self.metadata && connection.integer("PRAGMA schema_version") == schemaVersion
        }
    }

    /// Returns the work if it rewrites enough to justify a change of the journal, and no other connection needs the
    /// store; otherwise nil. Obstacles to the migration are thrown before anything changes.
    func preparationForRollbackJournal(
        _ connection: Connection, _ metadata: StoreMetadata
    ) throws -> Preparation? {
        // The program's stages must run only once, and a backup needs the earlier state.
        guard options.plan == nil, options.backup == nil, try connection.movesLogIntoFile,
            try connection.usedBytes() >= options.rollbackJournalThreshold
        else { return nil }
        let chain = MigrationChain(model, from: try position(of: metadata, in: connection), isTolerant: false)
        guard chain.replacesTables else { return nil }
        // All reads must see the same state.
        try connection.execute("BEGIN")
        return try connection.finishTransaction {
            guard let metadata = try StoreMetadata(connection) else { throw StoreError.foreignDatabase(url) }
            let work = try prepare(connection, metadata, hasLog: false)
            if work.rehearsal == nil || work.isFollowing { return nil }
            try requireRoom(work, connection)
            return Preparation(
                metadata: metadata, schemaVersion: try connection.integer("PRAGMA schema_version"), work: work)
        }
    }

    /// Runs a closure without the log, and returns to the log afterwards. Returns nil, without running it, if another
    /// connection has the store open and needs the log.
    func withRollbackJournal<Value>(_ connection: Connection, _ body: () throws -> Value) throws -> Value? {
        let synchronous = try connection.integer("PRAGMA synchronous") ?? 1
        // After the return to the log, a power failure must not bring back a deleted journal that the folder still had
        // on disk.
        try connection.execute("PRAGMA synchronous = EXTRA")
        guard try connection.leaveWriteAheadLog() else {
            try connection.execute("PRAGMA synchronous = \(synchronous)")
            return nil
        }
        let result = Result { try body() }
        do {
            try connection.patiently(monitor, atMost: patience) {
                try connection.execute("PRAGMA journal_mode = WAL")
            }
            try connection.execute("PRAGMA synchronous = \(synchronous)")
        } catch {
            // The closure's error comes first. The next opening returns to the log.
            _ = try result.get()
            throw error
        }
        return try result.get()
    }
}

extension Connection {
    var hasWriteAheadLog: Bool {
        get throws(SQLiteError) { try rows("PRAGMA journal_mode", []).first?[0] == .text("wal") }
    }

    /// Whether SQLite checkpoints the log automatically. If not, another program does, in order to ship the log.
    fileprivate var movesLogIntoFile: Bool {
        get throws(SQLiteError) { try integer("PRAGMA wal_autocheckpoint") != 0 }
    }

    /// Copies the log into the file, and continues with a rollback journal. Returns false if another connection has the
    /// file open, in this process or another.
    fileprivate func leaveWriteAheadLog() throws(SQLiteError) -> Bool {
        do throws(SQLiteError) {
            return try waiting(atMost: 0) { () throws(SQLiteError) in
                // All rows must be read: the pragma commits its changes after its row.
                try rows("PRAGMA journal_mode = DELETE").first?[0] == .text("delete")
            }
        } catch {
            guard error.code == SQLITE_BUSY else { throw error }
            return false
        }
    }

    /// Copies the write-ahead log, which a migration makes long, into the file, unless other connections read the
    /// store.
    func emptyWriteAheadLog() {
        guard (try? movesLogIntoFile) == true else { return }
        // If this fails, a later checkpoint does it.
        waiting(atMost: 0) { _ = try? checkpoint(mode: SQLITE_CHECKPOINT_TRUNCATE) }
    }

    /// Repeats a closure while other connections block it, up to a maximum time.
    ///
    /// - Throws: The error of SQLite after that time, or a `CancellationError`.
    package func patiently<Value>(
        _ monitor: MigrationMonitor, atMost patience: @autoclosure () -> Duration, _ body: () throws -> Value
    ) throws -> Value {
        let start = ContinuousClock.now
        while true {
            do {
                return try waiting(atMost: 50, body)
            } catch let error as SQLiteError where error.code == SQLITE_BUSY {
                if ContinuousClock.now - start >= patience() { throw error }
                monitor.update { $0.phase = .waiting }
            }
            try monitor.checkCancellation()
            // SQLite refuses some operations without waiting.
            usleep(1000)
        }
    }
}
