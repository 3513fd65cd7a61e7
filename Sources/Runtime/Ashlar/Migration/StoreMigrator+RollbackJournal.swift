import AshlarSQLite
import SystemFoundation

/// A migration that writes tables anew is done without the write-ahead log, where nobody else has the store open.
///
/// The log has each page of such a copy written twice and read once. A rollback journal holds what pages were before they
/// were changed, and new ones were nothing: they are written once. It keeps everybody out meanwhile, while the log lets
/// them read what was; who opens the store waits, see ``MigrationOptions/waitingTime``. A process that is killed leaves the
/// journal, with which SQLite undoes everything when the store is opened next.
extension StoreMigrator {
    /// The migration has to be compared with the store as it was, which only a log keeps.
    struct SnapshotNeeded: Error {}

    /// How long others are waited for, which mostly migrate the store themselves.
    var patience: Duration { max(busyTimeout, options.waitingTime) }

    /// The work that was found before the store left its log.
    struct Preparation {
        fileprivate let metadata: StoreMetadata
        fileprivate let schemaVersion: Int64?
        let work: Work

        /// Returns whether the store is what it was by then.
        func holds(_ metadata: StoreMetadata, _ connection: Connection) throws -> Bool {
            try metadata == self.metadata && connection.integer("PRAGMA schema_version") == schemaVersion
        }
    }

    /// Returns the work if enough is rewritten to justify a change of the journal, and no one else needs the store; nil
    /// otherwise. Obstacles to the migration are thrown before anything changes.
    func preparationForRollbackJournal(
        _ connection: Connection, _ metadata: StoreMetadata
    ) throws -> Preparation? {
        // Stages of the program's run once, and a backup is made of what the store was.
        guard options.plan == nil, options.backup == nil, try connection.movesLogIntoFile,
            try connection.usedBytes() >= options.rollbackJournalThreshold
        else { return nil }
        let chain = MigrationChain(model, from: try position(of: metadata, in: connection), isTolerant: false)
        guard chain.replacesTables else { return nil }
        // All that is read is of one moment.
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

    /// Runs a closure without the log, and takes the log up again. Nil when somebody else has the store open, who needs it.
    func withRollbackJournal<Value>(_ connection: Connection, _ body: () throws -> Value) throws -> Value? {
        let synchronous = try connection.integer("PRAGMA synchronous") ?? 1
        // Once the log is taken up again, a journal must not come back that its folder still had when the power failed.
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
            // The error to tell is the first; the next opening takes up the log.
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

    /// Whether the log is copied into the file now and then; else another program does that, to ship the log.
    fileprivate var movesLogIntoFile: Bool {
        get throws(SQLiteError) { try integer("PRAGMA wal_autocheckpoint") != 0 }
    }

    /// Copies the log into the file and goes on with a rollback journal. False when another connection has the file open,
    /// in this process or in another.
    fileprivate func leaveWriteAheadLog() throws(SQLiteError) -> Bool {
        do throws(SQLiteError) {
            return try waiting(atMost: 0) { () throws(SQLiteError) in
                // To its end: what the pragma writes is committed after its row.
                try rows("PRAGMA journal_mode = DELETE").first?[0] == .text("delete")
            }
        } catch {
            guard error.code == SQLITE_BUSY else { throw error }
            return false
        }
    }

    /// Moves the write-ahead log, which a migration makes long, into the file, unless somebody reads the store.
    func emptyWriteAheadLog() {
        guard (try? movesLogIntoFile) == true else { return }
        // Whatever keeps it from being done, a later checkpoint does it.
        waiting(atMost: 0) { _ = try? checkpoint(mode: SQLITE_CHECKPOINT_TRUNCATE) }
    }

    /// Tries something again while other connections keep it from being done, for as long as they may.
    ///
    /// Throws SQLite's error when that time is over, or a `CancellationError`.
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
            // Not all that is refused has waited.
            usleep(1000)
        }
    }
}
