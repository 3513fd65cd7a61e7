import Foundation
import Synchronization

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// The connections of one store: one that writes, and as many that read as are used at once.
///
/// A reader is used on the caller's own thread, without a queue. Readers never wait: where all are in use another is
/// opened, and ``maximumIdleReaders`` are kept afterwards. A store in memory has one connection for everything.
final class ConnectionPool: Sendable {
    static let maximumIdleReaders = 8

    let isReadOnly: Bool
    /// What records who changed the store; nil where its history is off.
    let history: HistoryRecorder?
    /// Whether others commit to the stores.
    let foreignCommits = ForeignCommits()
    private let configuration: ModelConfiguration
    private let writer: Connection
    private let writerLock = Mutex<Void>(())
    private let idleReaders = Mutex<[Connection]>([])
    /// Opens a connection that reads; nil where the writer's serves, as for a store in memory.
    private let openReader: (@Sendable () throws(SQLiteError) -> Connection)?

    /// Takes over a connection that is ready to write.
    init(
        writer: Connection, _ configuration: ModelConfiguration, isReadOnly: Bool,
        openReader: (@Sendable () throws(SQLiteError) -> Connection)? = nil
    ) {
        self.writer = writer
        history = writer.history
        self.configuration = configuration
        self.isReadOnly = isReadOnly
        self.openReader = openReader
    }

    /// Lets a closure use the connection that writes, alone. It must not call the pool again. The file is the one that
    /// an error names.
    ///
    /// Throws ``StoreError/locked(_:waited:doing:)`` when another process writes for longer than the busy timeout.
    func write<Result>(to url: URL? = nil, _ body: (Connection) throws -> Result) throws -> Result {
        var result: Result?
        do {
            try writerLock.withLock { _ in result = try body(writer) }
        } catch let error as SQLiteError where error.code == SQLITE_BUSY {
            throw StoreError.locked(
                url ?? configuration.url, waited: configuration.options.busyTimeout, doing: "writing")
        }
        // The closure either ran to its end or threw.
        return result.unsafelyUnwrapped
    }

    /// Lets a closure use the connection that writes, where nobody else does; else nil.
    func writeIfFree<Result>(_ body: (Connection) -> Result) -> Result? {
        var result: Result?
        _ = writerLock.withLockIfAvailable { _ in result = body(writer) }
        return result
    }

    /// Lets a closure use a connection that reads, alone. It must not call the pool again.
    func lendReader(to body: (Connection) throws -> Void) throws {
        guard let connection = try takeReader() else { return try write(body) }
        defer { giveBack(connection) }
        try body(connection)
    }

    /// Lets a closure read on a connection, alone. It must not call the pool again.
    func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        var result: Result?
        try lendReader { connection in result = try body(connection) }
        // The closure either ran to its end or threw.
        return result.unsafelyUnwrapped
    }

    /// A connection that reads, for a while; nil for a store in memory, which has none.
    func takeReader() throws(SQLiteError) -> Connection? {
        guard let openReader else { return nil }
        if let idle = idleReaders.withLock({ $0.popLast() }) { return idle }
        return try openReader()
    }

    /// Takes back a connection that reads, in no transaction.
    func giveBack(_ connection: Connection) {
        idleReaders.withLock { readers in
            if readers.count < Self.maximumIdleReaders { readers.append(connection) }
        }
    }

    /// A connection of the caller's own that reads; nil for a store in memory, which has one.
    func makeReader() throws(SQLiteError) -> Connection? { try openReader?() }
}
