import AshlarSQLite

/// The closures that open and copy the connections of a pool.
struct ConnectionSources: Sendable {
    /// Opens a connection that reads; nil if the writer also reads, as for a store in memory.
    var openReader: (@Sendable () throws(SQLiteError) -> Connection)?
    /// Opens the connection that writes again, with the watches of the last one; nil if no store is in a file. Its
    /// parameter is the copy that ``keepMemory`` made.
    var openWriter: (@Sendable (_ memory: Connection?) throws(SQLiteError) -> Connection)?
    /// Copies the stores in memory into a connection of their own; nil if there are none.
    var keepMemory: (@Sendable (_ writer: Connection) throws(SQLiteError) -> Connection)?
}

/// The connections of a pool that read.
struct PooledReaders {
    /// The connections that are not in use.
    var idle: [Connection] = []
    /// The maximum number of idle connections; 0 during a suspension.
    var idleLimit = ConnectionPool.maximumIdleReaders
    /// All open connections, so that others can interrupt them.
    private(set) var all: [Connection] = []
    /// The number of connections that are being opened.
    private var openings = 0
    /// The number of connections that are being closed.
    private var closings = 0

    /// Returns whether a connection may be opened. If so, ``didOpen(_:)`` must follow.
    mutating func beginOpening() -> Bool {
        if idleLimit > 0 { openings += 1 }
        return idleLimit > 0
    }

    /// Ends an opening, with a connection unless it failed.
    mutating func didOpen(_ connection: Connection?) {
        openings -= 1
        if let connection { all.append(connection) }
    }

    /// Removes a connection that is about to be closed; ``didClose()`` must follow. Returns false if it was not in the
    /// list.
    mutating func beginClosing(_ connection: Connection) -> Bool {
        guard let index = all.firstIndex(where: { $0 === connection }) else { return false }
        all.remove(at: index)
        closings += 1
        return true
    }

    mutating func didClose() { closings -= 1 }

    /// Removes the idle connections, and ends the operations of the others.
    ///
    /// - Returns: The connections to close.
    mutating func letGo() -> [Connection] {
        idleLimit = 0
        let unused = idle
        idle = []
        all.removeAll { connection in unused.contains { $0 === connection } }
        // A connection is removed from this list before it is closed, so these are open.
        for connection in all { connection.end() }
        return unused
    }

    /// Whether no connection is open or about to be.
    var isEmpty: Bool { all.isEmpty && openings == 0 && closings == 0 }
}
