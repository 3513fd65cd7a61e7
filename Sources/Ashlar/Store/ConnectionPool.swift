import AshlarSQLite
import Foundation
import Synchronization

/// The connections of one store: one that writes, and as many that read as are used at once.
///
/// A reader is used on the caller's own thread, without a queue. Readers never wait: where all are in use another is
/// opened, and ``maximumIdleReaders`` are kept afterwards. A store in memory has one connection for everything.
final class ConnectionPool: Sendable {
    static let maximumIdleReaders = 8

    let isReadOnly: Bool
    /// What was found out about the stores since they were opened.
    let findings: StoreFindings
    /// The states of the stores at which contexts stay.
    let generations = QueryGenerations()
    /// What records who changed the store; nil where its history is off.
    let history: HistoryRecorder?
    /// Whether others commit to the stores.
    let foreignCommits = ForeignCommits()
    private let configuration: ModelConfiguration
    private let writer: Connection
    private let writerLock = WriterLock()
    private let busyMilliseconds: Int
    private let idleReaders = Mutex<[Connection]>([])
    /// Opens a connection that reads; nil where the writer's serves, as for a store in memory.
    private let openReader: (@Sendable () throws(SQLiteError) -> Connection)?

    /// Takes over a connection that is ready to write.
    init(
        writer: Connection, _ configuration: ModelConfiguration, isReadOnly: Bool,
        findings: StoreFindings = StoreFindings(),
        openReader: (@Sendable () throws(SQLiteError) -> Connection)? = nil
    ) {
        self.writer = writer
        self.findings = findings
        history = writer.state.history
        self.configuration = configuration
        busyMilliseconds = Int(configuration.options.busyMilliseconds)
        self.isReadOnly = isReadOnly
        self.openReader = openReader
    }

    /// Lets a closure use the connection that writes, alone. The file is the one that an error names.
    ///
    /// - Throws: ``StoreError/locked(_:waited:doing:)`` when another process, or another thread of this one, writes for
    ///   longer than the busy timeout; ``StoreError/nestedWriting(_:)`` where the closure asks for the connection again;
    ///   `CancellationError` when the waiting for another thread is cancelled.
    func write<Result>(
        to url: URL? = nil, cancellation: FetchCancellation? = nil, _ body: (Connection) throws -> Result
    ) throws -> Result {
        try sayingWhoWrites(url) {
            try writerLock.withLock(milliseconds: busyMilliseconds, cancellation) { try body(writer) }
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
            return Writing(connection: writer, lock: writerLock, isReserved: isReserved)
        }
    }

    /// Runs a closure that writes, and says of an error who else does.
    func sayingWhoWrites<Result>(_ url: URL?, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
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

    /// Runs a closure that may write without waiting for anybody: nil, without running it, where another thread of this
    /// process writes. Where another process does, ``StoreError/locked(_:waited:doing:)`` is thrown at once.
    func writeAtOnce<Result>(_ body: () throws -> Result) throws -> Result? {
        try writerLock.withReservation {
            try writer.waiting(atMost: 0, body)
        }
    }

    /// Calls a closure once, on any thread, as soon as no thread of this process writes.
    func whenWriterIsFree(_ body: @escaping @Sendable () -> Void) { writerLock.whenFree(body) }

    /// Lets a closure use the connection that writes, where nobody else does; else nil.
    func writeIfFree<Result>(_ body: (Connection) -> Result) -> Result? {
        // Nothing is refused to the thread that has the reservation.
        (try? writerLock.withReservation { try writerLock.withLock(milliseconds: 0, nil) { body(writer) } }) ?? nil
    }

    /// Lets a closure use a connection that reads, alone. It must not call the pool again.
    func lendReader(to body: (Connection) throws -> Void) throws {
        guard let connection = try takeReader() else { return try write { try read($0, body) } }
        defer { giveBack(connection) }
        try read(connection, body)
    }

    private func read(_ connection: Connection, _ body: (Connection) throws -> Void) throws {
        let recompilations = connection.runs.recompilations
        do {
            try body(connection)
        } catch {
            // Another program's migration is more than the error that it leads to.
            if connection.runs.recompilations != recompilations || Connection.mayBeOfMigration(error) {
                try connection.checkSchemas()
            }
            throw error
        }
        if connection.runs.recompilations != recompilations { try connection.checkSchemas() }
    }

    /// Lets a closure read on a connection, alone. It must not call the pool again.
    func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        var result: Result?
        try lendReader { connection in result = try body(connection) }
        // The closure either ran to its end or threw.
        return result.unsafelyUnwrapped
    }

    /// A connection that reads, for a while; nil for a store in memory, which has none.
    func takeReader() throws -> Connection? {
        try findings.check()
        guard let openReader else { return nil }
        if let idle = idleReaders.withLock({ $0.popLast() }) { return idle }
        let reader = try openReader()
        // What it compiles is of the schema that there is now, in the file that is there now.
        try reader.checkNewReader()
        return reader
    }

    /// Takes back a connection that reads, in no transaction.
    func giveBack(_ connection: Connection) {
        idleReaders.withLock { readers in
            if readers.count < Self.maximumIdleReaders { readers.append(connection) }
        }
    }

    /// A connection of the caller's own that reads; nil for a store in memory, which has one.
    func makeReader() throws -> Connection? {
        let reader = try openReader?()
        try reader?.checkNewReader()
        return reader
    }
}
