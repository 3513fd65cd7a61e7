import AshlarSQLite
import Dispatch
import SystemFoundation

/// Closes the files of all stores during a suspension.
///
/// An open connection to a file in WAL mode holds a shared lock on the file, by which others detect that they are not
/// the last connection, and a lock on the log's index. So every connection is closed, and opened again afterwards.
extension ConnectionPool {
    /// The state that is kept during a suspension.
    struct Suspension {
        /// The state of the closed connection that wrote; nil while the connection is open.
        fileprivate var state: StoreConnectionState?
        /// The watches of that connection.
        fileprivate var watches: [StoreWatch] = []
        fileprivate var isReader = false
        /// The connection with copies of the stores in memory.
        fileprivate var memory: Connection?
        /// The stamps of the files at the start of the suspension and the numbers of the last commits, by the names of
        /// the stores.
        fileprivate var marks: [String: (stamp: StoreStamp, version: Int64)] = [:]
        /// Whether the history of each store was on, by the names of the stores, as far as it could be read.
        fileprivate var isTracked: [String: Bool] = [:]
    }

    /// Refuses new operations, interrupts running ones, and closes all connections. It does nothing if no store is in a
    /// file, or if the stores are already suspended.
    ///
    /// - Throws: ``StoreError/nestedWriting(_:)`` on a thread that writes. ``StoreError/locked(_:waited:doing:)`` if a
    ///   closure of the program does not end within the busy timeout; its connection is then closed when it ends.
    ///   ``SQLiteError`` if stores in memory cannot be copied.
    func suspend() throws {
        guard sources.openWriter != nil else { return }
        if writerLock.isOfThisThread { throw StoreError.nestedWriting(configuration.url) }
        try suspension.withLock { suspension in
            if !isSuspended {
                suspended.store(true, ordering: .sequentiallyConsistent)
                suspensionObservers.tell(isSuspended: true)
            }
            try letGo(&suspension)
        }
    }

    /// Opens the connection that writes again, and allows new operations.
    ///
    /// - Throws: ``StoreError`` if the stores cannot be opened or were migrated or replaced by others, and the errors
    ///   of ``suspend()``. The stores stay suspended then.
    func resume() throws {
        let wasSuspended = try suspension.withLock { suspension in
            guard isSuspended, let openWriter = sources.openWriter else { return false }
            // The suspension may not have been completed.
            try letGo(&suspension)
            let connection = try reopened(suspension, openWriter)
            do {
                try writerLock.withLock(milliseconds: busyMilliseconds, nil) { writer = connection }
            } catch {
                // The kept state goes to the connection of the next attempt.
                connection.state.watches = []
                connection.close()
                throw error
            }
            suspension = Suspension()
            readers.withLock { $0.idleLimit = Self.maximumIdleReaders }
            suspended.store(false, ordering: .sequentiallyConsistent)
            return true
        }
        if wasSuspended { suspensionObservers.tell(isSuspended: false) }
    }

    /// Returns the number of a store's last commit by others at the start of the suspension; nil while the stores are
    /// open.
    func suspendedDataVersion(_ schemaName: String) -> Int64? {
        suspension.withLockIfAvailable { $0.marks[schemaName]?.version } ?? nil
    }

    /// Returns the suspension's error for an error of an interrupted connection; nil for other errors.
    ///
    /// - Parameter connection: The connection that the error comes from, if its user has already given it back: the
    ///   stores may be open again.
    func suspensionError(_ error: any Error, _ url: URL? = nil, of connection: Connection? = nil) -> StoreError? {
        guard isSuspended || connection?.ending.hasBegun ?? false else { return nil }
        if case StoreError.locked = error { return .suspended(url ?? configuration.url) }
        if case StoreError.suspended = error { return nil }
        // After an interrupt, SQLite may have rolled back the transaction that the next statement would have ended.
        let codes = [SQLITE_INTERRUPT, SQLITE_ABORT, SQLITE_BUSY, SQLITE_ERROR, SQLITE_SCHEMA]
        guard let found = (error as? any AshlarError)?.sqliteError, codes.contains(found.code) else { return nil }
        return .suspended(url ?? configuration.url)
    }

    // MARK: Closing

    private func letGo(_ suspension: inout Suspension) throws {
        let end = ContinuousClock.now + .milliseconds(busyMilliseconds)
        while true {
            let (unused, isDone) = readers.withLock { readers in
                let unused = readers.letGo()
                return (unused, readers.isEmpty)
            }
            for connection in unused { connection.close() }
            generations.endIdle()
            try closeWriter(&suspension)
            if isDone, writer == nil { return }
            if ContinuousClock.now > end {
                throw StoreError.locked(
                    configuration.url, waited: configuration.options.busyTimeout,
                    doing: "waiting for a closure of this program to finish reading or writing")
            }
            // The wait is not signaled, because an interrupt that came between two statements must be repeated.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1))
        }
    }

    /// Closes the connection that writes if no thread uses it; otherwise interrupts it.
    private func closeWriter(_ suspension: inout Suspension) throws {
        guard let writer else { return }
        writer.end()
        do {
            try writerLock.withLock(milliseconds: 1, nil) {
                // An interrupted thread may have left a transaction open.
                try? writer.rollBack()
                suspension.memory = try sources.keepMemory?(writer)
                let state = writer.state
                suspension.watches = state.watches.map(\.watch)
                suspension.isReader = writer.runs.isWatched
                for watch in suspension.watches {
                    suspension.isTracked[watch.schemaName] = try? HistoryTracker.isTracked(writer, watch.schemaName)
                    // A commit between the two steps is detected by its number, or by a different stamp later.
                    let stamp = StoreStamp(watch.url)
                    guard let version = try? writer.countedDataVersion(watch.schemaName) else { continue }
                    suspension.marks[watch.schemaName] = (stamp, version)
                }
                state.watches = []
                suspension.state = state
                self.writer = nil
                writer.close()
            }
        } catch is WriterLock.Refusal {
            return
        }
    }

    private func reopened(
        _ suspension: Suspension, _ open: (Connection?) throws(SQLiteError) -> Connection
    ) throws -> Connection {
        let url = configuration.url
        do {
            let connection = try open(suspension.memory)
            do {
                if let state = suspension.state {
                    state.forgetConnection()
                    connection.attachment = state
                }
                connection.watch(suspension.watches, isReader: suspension.isReader)
                try checkFiles(suspension, connection)
                for watch in suspension.watches { try countOn(watch, suspension.marks[watch.schemaName], connection) }
                return connection
            } catch {
                connection.state.watches = []
                connection.close()
                throw error
            }
        } catch let error as SQLiteError {
            for watch in suspension.watches where !FileSystem.exists(watch.url.path) {
                throw StoreError.removedWhileOpen(watch.url)
            }
            throw StoreError(
                error, url, doing: "opening the store again", waited: configuration.options.busyTimeout)
        }
    }

    /// Throws if the stores are no longer the same. A file that replaced a store's counts as the same store.
    private func checkFiles(_ suspension: Suspension, _ connection: Connection) throws {
        let replaced = suspension.watches.filter { $0.acceptReplacement() }
        do {
            try connection.checkNewReader()
            for watch in replaced {
                try watch.checkReplacement(connection)
                let isTracked = try HistoryTracker.isTracked(connection, watch.schemaName)
                // The container keeps the settings with which it was opened.
                guard isTracked == suspension.isTracked[watch.schemaName] ?? isTracked,
                    connection.state.identifierRanges[watch.schemaName] == nil
                else { throw StoreError.removedWhileOpen(watch.url) }
            }
        } catch {
            for watch in replaced { watch.forgetReplacement() }
            throw error
        }
    }

    /// Makes the numbers of commits by others continue where they were, or one higher if there was a commit.
    private func countOn(
        _ watch: StoreWatch, _ mark: (stamp: StoreStamp, version: Int64)?, _ connection: Connection
    ) throws(SQLiteError) {
        let state = connection.state
        state.dataVersionOffsets[watch.schemaName] = 0
        let found = try connection.countedDataVersion(watch.schemaName)
        // The stamp is read after the number: it reveals earlier commits, which do not change the number any more.
        let isUntouched = mark.map { $0.stamp.isConclusive && $0.stamp == StoreStamp(watch.url) } ?? false
        state.dataVersionOffsets[watch.schemaName] = (mark?.version ?? 0) + (isUntouched ? 0 : 1) - found
    }
}

extension Connection {
    /// Returns a number of a database that changes with each commit by others. It continues if another connection
    /// replaces this one.
    func countedDataVersion(_ schemaName: String) throws(SQLiteError) -> Int64 {
        let version = try integer("PRAGMA \(schemaName).data_version") ?? 0
        return version + (state.dataVersionOffsets[schemaName] ?? 0)
    }
}

extension StoreConnectionState {
    /// Makes this the state of a new connection, which has no temporary tables and no numbers of commits yet.
    fileprivate func forgetConnection() {
        notesDerivedChanges = false
        pendingRows = nil
        storedOrderKeys = nil
        seenDataVersions = [:]
    }
}
