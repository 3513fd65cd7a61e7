import AshlarSQLite
import Synchronization
import SystemFoundation

/// The connections of one store: one that writes, and as many readers as are in use at the same time.
///
/// Readers run on the caller's own thread, without a queue, and never wait. If all are in use, another one is opened;
/// ``maximumIdleReaders`` are kept afterwards. A store in memory has one connection for everything.
final class ConnectionPool: Sendable {
    static let maximumIdleReaders = 8

    let isReadOnly: Bool
    /// The findings about the stores since they were opened.
    let findings: StoreFindings
    /// The states of the stores at which contexts stay.
    let generations = QueryGenerations()
    /// The state that is kept during a suspension.
    let suspension = Mutex(Suspension())
    let suspended = Atomic(false)
    /// The observers of a suspension.
    let suspensionObservers = SuspensionObservers()
    /// The recorder of the author of changes; nil if the history is off.
    let history: HistoryRecorder?
    /// Whether others commit to the stores.
    let foreignCommits = ForeignCommits()
    let configuration: ModelConfiguration
    /// The connection that writes; nil while the stores are closed for a suspension. It is used and set only under the
    /// lock.
    ///
    /// Unchecked and unsafe, because the compiler cannot see the lock, which excludes simultaneous access.
    @exclusivity(unchecked) nonisolated(unsafe) var writer: Connection?
    let writerLock = WriterLock()
    let busyMilliseconds: Int
    let readers = Mutex(PooledReaders())
    /// The thresholds for reading rows with several threads.
    let parallelReading = Mutex(ParallelReading())
    /// A loan of the connection that writes, for loops that lend rows from it.
    let writerLoan = ConnectionLoan()
    let sources: ConnectionSources
    /// The objects to release after the connections.
    let keptUntilClosed = Mutex<[any AnyObject & Sendable]>([])

    /// Takes over a connection that is ready to write.
    init(
        writer: Connection, _ configuration: ModelConfiguration, isReadOnly: Bool,
        findings: StoreFindings = StoreFindings(),
        sources: ConnectionSources = ConnectionSources()
    ) {
        self.writer = writer
        self.findings = findings
        history = writer.state.history
        self.configuration = configuration
        busyMilliseconds = Int(configuration.options.busyMilliseconds)
        self.isReadOnly = isReadOnly
        self.sources = sources
    }

    /// Whether the stores are closed for a suspension, or are about to be.
    var isSuspended: Bool { suspended.load(ordering: .relaxed) }

    /// Returns the connection that writes, for a caller that holds the lock.
    private func openedWriter(_ url: URL? = nil) throws(StoreError) -> Connection {
        guard !isSuspended, let writer else { throw .suspended(url ?? configuration.url) }
        return writer
    }

    /// Runs a closure with exclusive use of the connection that writes. An error names the given file.
    ///
    /// - Throws: ``StoreError/locked(_:waited:doing:)`` if another process or thread writes for longer than the busy
    ///   timeout. ``StoreError/nestedWriting(_:)`` if the closure requests the connection again.
    ///   ``StoreError/suspended(_:)`` during a suspension, which also ends the closure's statements.
    ///   `CancellationError` if the wait for another thread is cancelled.
    func write<Result>(
        to url: URL? = nil, cancellation: FetchCancellation? = nil, _ body: (Connection) throws -> Result
    ) throws -> Result {
        try sayingWhoWrites(url) {
            try writerLock.withLock(milliseconds: busyMilliseconds, cancellation) {
                let writer = try openedWriter(url)
                do {
                    return try body(writer)
                } catch  where writer.ending.hasBegun {
                    throw suspensionError(error, url) ?? error
                }
            }
        }
    }

    /// The connection that writes, for as long as a thread needs it.
    struct Writing {
        let connection: Connection
        fileprivate let lock: WriterLock
        fileprivate let isReserved: Bool

        /// Gives it back, on the thread that took it.
        func end() { lock.unlock(staysReserved: isReserved) }
    }

    /// Takes the connection that writes, alone, until ``Writing/end()``.
    ///
    /// - Throws: As ``write(to:cancellation:_:)``.
    func beginWriting(to url: URL?, cancellation: FetchCancellation?) throws -> Writing {
        try sayingWhoWrites(url) {
            let isReserved = try writerLock.lock(milliseconds: busyMilliseconds, cancellation)
            do {
                return Writing(connection: try openedWriter(url), lock: writerLock, isReserved: isReserved)
            } catch {
                writerLock.unlock(staysReserved: isReserved)
                throw error
            }
        }
    }

    /// Runs a closure that writes, and turns its errors into ones that name the other writer.
    func sayingWhoWrites<Result>(_ url: URL?, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch  where isSuspended {
            throw suspensionError(error, url) ?? error
        } catch let error as SQLiteError where error.code == SQLITE_BUSY {
            throw locked(url, doing: "writing")
        } catch let refusal as WriterLock.Refusal {
            switch refusal {
            case .timeout: throw locked(url, doing: "waiting until another context of this process has written")
            case .nested: throw StoreError.nestedWriting(url ?? configuration.url)
            }
        }
    }

    private func locked(_ url: URL?, doing: String) -> StoreError {
        .locked(url ?? configuration.url, waited: configuration.options.busyTimeout, doing: doing)
    }

    /// Runs a closure that may write, without waiting. Returns nil, without running it, if another thread of this
    /// process writes. If another process does, throws ``StoreError/locked(_:waited:doing:)`` immediately.
    func writeAtOnce<Result>(_ body: () throws -> Result) throws -> Result? {
        try writerLock.withReservation {
            try openedWriter().waiting(atMost: 0, body)
        }
    }

    /// Calls a closure once, on any thread, as soon as no thread of this process writes.
    func whenWriterIsFree(_ body: @escaping @Sendable () -> Void) { writerLock.whenFree(body) }

    /// Runs a closure with the connection that writes; returns nil if another thread uses it.
    func writeIfFree<Result>(_ body: (Connection) -> Result) -> Result? {
        // The thread that has the reservation is never refused.
        (try? writerLock.withReservation {
            try writerLock.withLock(milliseconds: 0, nil) { body(try openedWriter()) }
        }) ?? nil
    }

    /// Whether readers are separate connections, so that code that uses one may request another.
    var hasReaders: Bool { sources.openReader != nil }

    /// Runs a closure with exclusive use of a connection that reads. It must not call the pool again, unless it lends
    /// rows.
    func lendReader(to body: (Connection) throws -> Void) throws {
        guard let connection = try takeReader() else {
            if let lent = writerLoan.connection {
                return try lent.uninterrupted { try read(lent, body) }
            }
            return try write { try read($0, body) }
        }
        defer { giveBack(connection) }
        try read(connection, body)
    }

    /// Runs a closure that reads with the caller's connection, and throws the cause of an error that another error
    /// hides.
    func read(_ connection: Connection, _ body: (Connection) throws -> Void) throws {
        let recompilations = connection.runs.recompilations
        do {
            try body(connection)
        } catch  where connection.ending.hasBegun {
            throw suspensionError(error) ?? error
        } catch {
            // Another program's migration explains more than the error that it causes.
            if connection.runs.recompilations != recompilations || Connection.mayBeOfMigration(error) {
                try connection.checkSchemas()
            }
            throw error
        }
        if connection.runs.recompilations != recompilations { try connection.checkSchemas() }
    }

    /// Runs a closure with exclusive use of a connection that reads. It must not call the pool again.
    func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        var result: Result?
        try lendReader { connection in result = try body(connection) }
        // The closure either ran to its end or threw.
        return result.unsafelyUnwrapped
    }

    /// Takes a connection that reads out of the pool; returns nil for a store in memory, which has none.
    /// ``giveBack(_:)`` must follow.
    func takeReader() throws -> Connection? {
        try findings.check()
        // First, as to ask for the closure counts its references.
        if let idle = readers.withLock({ $0.idle.popLast() }) { return idle }
        return try makeReader()
    }

    private func open(_ openReader: () throws(SQLiteError) -> Connection) throws -> Connection {
        guard readers.withLock({ $0.beginOpening() }) else { throw StoreError.suspended(configuration.url) }
        let reader: Connection
        do {
            reader = try openReader()
        } catch {
            readers.withLock { $0.didOpen(nil) }
            throw error
        }
        readers.withLock { $0.didOpen(reader) }
        do {
            // The connection compiles statements for the current schema of the current file.
            try reader.checkNewReader()
        } catch {
            close(reader)
            throw suspensionError(error) ?? error
        }
        return reader
    }

    /// Takes back a connection that reads, in no transaction.
    func giveBack(_ connection: Connection) {
        let isKept = readers.withLock { readers in
            guard readers.idle.count < readers.idleLimit else { return false }
            readers.idle.append(connection)
            return true
        }
        if !isKept { close(connection) }
    }

    /// Takes back a connection that reads and that others cannot use.
    func close(_ connection: Connection) {
        // From now on nothing interrupts the connection, but it counts as open until it is closed.
        let isOpen = readers.withLock { $0.beginClosing(connection) }
        connection.close()
        if isOpen { readers.withLock { $0.didClose() } }
    }

    /// Opens a connection that reads for the caller, until ``close(_:)``; returns nil for a store in memory.
    func makeReader() throws -> Connection? { try sources.openReader.map(open) }
}
