import AshlarSQLite
import Dispatch
import SystemFoundation

/// Letting go of the files of all stores for a while.
///
/// A connection to a file in WAL mode holds locks for as long as it is open: a shared one on the file, by which others
/// know that they are not the last, and one on the log's index. So every connection is closed, and opened again
/// afterwards.
extension ConnectionPool {
    /// The state that is kept during a suspension.
    struct Suspension {
        /// The state of the connection that wrote; nil while there is one.
        fileprivate var state: StoreConnectionState?
        /// The watches of that connection.
        fileprivate var watches: [StoreWatch] = []
        fileprivate var isReader = false
        /// The stores that are in memory.
        fileprivate var memory: Connection?
        /// By the names of the stores, how their files looked when they were let go of, and the number of the last commit.
        fileprivate var marks: [String: (stamp: StoreStamp, version: Int64)] = [:]
        /// By the names of the stores, whether their history was on, where that could be read.
        fileprivate var isTracked: [String: Bool] = [:]
    }

    /// Refuses what begins from now on, interrupts what runs, and closes all connections. Does nothing where no store is in a
    /// file, or where that was done.
    ///
    /// - Throws: ``StoreError/nestedWriting(_:)`` on a thread that writes; ``StoreError/locked(_:waited:doing:)`` where a
    ///   closure of the program's own does not come to its end within the busy timeout. Its connection is closed when it does.
    ///   ``SQLiteError`` where stores in memory cannot be copied.
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

    /// Opens the connection that writes again, and lets others begin.
    ///
    /// - Throws: ``StoreError`` where the stores cannot be opened, or are not any more what they were, and as
    ///   ``suspend()``. They are let go of as before then.
    func resume() throws {
        let wasSuspended = try suspension.withLock { suspension in
            guard isSuspended, let openWriter = sources.openWriter else { return false }
            // Where that could not be done at once.
            try letGo(&suspension)
            let connection = try reopened(suspension, openWriter)
            do {
                try writerLock.withLock(milliseconds: busyMilliseconds, nil) { writer = connection }
            } catch {
                // What was kept goes to the connection of the next attempt.
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

    /// The number of a store's last commit by others as it was known when the stores were let go of; nil while they are open.
    func suspendedDataVersion(_ schemaName: String) -> Int64? {
        suspension.withLockIfAvailable { $0.marks[schemaName]?.version } ?? nil
    }

    /// Returns the suspension's error for an error of an interrupted connection; nil for other errors.
    ///
    /// - Parameter connection: Whose error it is, where its user has given it back already: the stores may be open again.
    func suspensionError(_ error: any Error, _ url: URL? = nil, of connection: Connection? = nil) -> StoreError? {
        guard isSuspended || connection?.ending.hasBegun ?? false else { return nil }
        if case StoreError.locked = error { return .suspended(url ?? configuration.url) }
        if case StoreError.suspended = error { return nil }
        // After an interrupt SQLite may have undone the transaction that the next statement would have ended.
        let codes = [SQLITE_INTERRUPT, SQLITE_ABORT, SQLITE_BUSY, SQLITE_ERROR, SQLITE_SCHEMA]
        guard let found = (error as? any AshlarError)?.sqliteError, codes.contains(found.code) else { return nil }
        return .suspended(url ?? configuration.url)
    }

    // MARK: Letting go

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
                    doing: "waiting for a closure of this program that reads or writes, to let go of the store")
            }
            // Nobody signals it: an interrupt that came between two statements must be repeated.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1))
        }
    }

    /// Closes the connection that writes where no thread uses it, else interrupts it.
    private func closeWriter(_ suspension: inout Suspension) throws {
        guard let writer else { return }
        writer.end()
        do {
            try writerLock.withLock(milliseconds: 1, nil) {
                // A thread that was cut off may have left a transaction open.
                try? writer.rollBack()
                suspension.memory = try sources.keepMemory?(writer)
                let state = writer.state
                suspension.watches = state.watches.map(\.watch)
                suspension.isReader = writer.runs.isWatched
                for watch in suspension.watches {
                    suspension.isTracked[watch.schemaName] = try? HistoryTracker.isTracked(writer, watch.schemaName)
                    // A commit between the two is known by its number, or by another stamp later.
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

    /// Throws where the stores are not any more what they were. A file that took the place of one counts as the same store.
    private func checkFiles(_ suspension: Suspension, _ connection: Connection) throws {
        let replaced = suspension.watches.filter { $0.acceptReplacement() }
        do {
            try connection.checkNewReader()
            for watch in replaced {
                try watch.checkReplacement(connection)
                let isTracked = try HistoryTracker.isTracked(connection, watch.schemaName)
                // The container goes on as it was opened.
                guard isTracked == suspension.isTracked[watch.schemaName] ?? isTracked,
                    connection.state.identifierRanges[watch.schemaName] == nil
                else { throw StoreError.removedWhileOpen(watch.url) }
            }
        } catch {
            for watch in replaced { watch.forgetReplacement() }
            throw error
        }
    }

    /// Has the numbers of commits by others go on from where they were, with another one where there was a commit.
    private func countOn(
        _ watch: StoreWatch, _ mark: (stamp: StoreStamp, version: Int64)?, _ connection: Connection
    ) throws(SQLiteError) {
        let state = connection.state
        state.dataVersionOffsets[watch.schemaName] = 0
        let found = try connection.countedDataVersion(watch.schemaName)
        // Looked at after the number was asked for, which does not change with what came before that.
        let isUntouched = mark.map { $0.stamp.isConclusive && $0.stamp == StoreStamp(watch.url) } ?? false
        state.dataVersionOffsets[watch.schemaName] = (mark?.version ?? 0) + (isUntouched ? 0 : 1) - found
    }
}

extension Connection {
    /// A number of one of the databases that is another one after a commit by others, and goes on where the connection takes
    /// the place of another.
    func countedDataVersion(_ schemaName: String) throws(SQLiteError) -> Int64 {
        let version = try integer("PRAGMA \(schemaName).data_version") ?? 0
        return version + (state.dataVersionOffsets[schemaName] ?? 0)
    }
}

extension StoreConnectionState {
    /// Makes this the state of another connection, which has no temporary tables yet and knows no numbers of commits.
    fileprivate func forgetConnection() {
        notesDerivedChanges = false
        pendingRows = nil
        storedOrderKeys = nil
        seenDataVersions = [:]
    }
}
