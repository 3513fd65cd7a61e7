import AshlarSQLite

/// How a pool comes by its connections.
struct ConnectionSources: Sendable {
    /// Opens a connection that reads; nil where the writer's serves, as for a store in memory.
    var openReader: (@Sendable () throws(SQLiteError) -> Connection)?
    /// Opens the connection that writes once more, with what it is watched by; nil where nothing is in a file. It is given
    /// what ``keepMemory`` made of the last one.
    var openWriter: (@Sendable (_ memory: Connection?) throws(SQLiteError) -> Connection)?
    /// Copies those of the stores that are in memory into a connection of their own; nil where none is.
    var keepMemory: (@Sendable (_ writer: Connection) throws(SQLiteError) -> Connection)?
}

/// The connections of a pool that read.
struct PooledReaders {
    /// Those that nobody uses.
    var idle: [Connection] = []
    /// How many of these are kept; none while the stores are let go of.
    var idleLimit = ConnectionPool.maximumIdleReaders
    /// All that are open, so that others can interrupt them.
    private(set) var all: [Connection] = []
    /// How many are being opened.
    private var openings = 0
    /// How many are being closed.
    private var closings = 0

    /// Returns whether a connection may be opened, which ``didOpen(_:)`` follows.
    mutating func beginOpening() -> Bool {
        if idleLimit > 0 { openings += 1 }
        return idleLimit > 0
    }

    /// Ends an opening, with a connection unless it failed.
    mutating func didOpen(_ connection: Connection?) {
        openings -= 1
        if let connection { all.append(connection) }
    }

    /// Forgets a connection that is about to be closed, which ``didClose()`` follows; false where it was not one of these.
    mutating func beginClosing(_ connection: Connection) -> Bool {
        guard let index = all.firstIndex(where: { $0 === connection }) else { return false }
        all.remove(at: index)
        closings += 1
        return true
    }

    mutating func didClose() { closings -= 1 }

    /// Keeps nothing that nobody uses, and has the others come to their end.
    ///
    /// - Returns: What is to be closed.
    mutating func letGo() -> [Connection] {
        idleLimit = 0
        let unused = idle
        idle = []
        all.removeAll { connection in unused.contains { $0 === connection } }
        // What closes a connection takes it off this list first, so that these are open.
        for connection in all { connection.end() }
        return unused
    }

    /// Whether no connection is open, nor about to be.
    var isEmpty: Bool { all.isEmpty && openings == 0 && closings == 0 }
}
