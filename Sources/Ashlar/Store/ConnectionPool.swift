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
    private let writer: Connection
    private let writerLock = Mutex<Void>(())
    private let idleReaders = Mutex<[Connection]>([])
    /// Opens a connection that reads; nil where the writer's serves, as for a store in memory.
    private let openReader: (@Sendable () throws(SQLiteError) -> Connection)?

    /// Takes over a connection that is ready to write.
    init(
        writer: Connection, isReadOnly: Bool, openReader: (@Sendable () throws(SQLiteError) -> Connection)?
    ) {
        self.writer = writer
        self.isReadOnly = isReadOnly
        self.openReader = openReader
    }

    /// Lets a closure use the connection that writes, alone. It must not call the pool again.
    func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        var result: Result?
        try writerLock.withLock { _ in result = try body(writer) }
        // The closure either ran to its end or threw.
        return result.unsafelyUnwrapped
    }

    /// Lets a closure use a connection that reads, alone. It must not call the pool again.
    func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        guard let openReader else { return try write(body) }
        let connection = try idleReaders.withLock { $0.popLast() } ?? openReader()
        defer {
            idleReaders.withLock { readers in
                if readers.count < Self.maximumIdleReaders { readers.append(connection) }
            }
        }
        return try body(connection)
    }
}
