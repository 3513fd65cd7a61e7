import AshlarSQLite

extension ModelContext {
    /// Reads on a connection of its own, counts the statements and notifies the observer.
    ///
    /// Hot reads have no result: where nothing is optimised, each function on the way that is generic costs as much as
    /// finding a row.
    func read(_ doing: @autoclosure () -> String, _ body: (Connection) throws -> Void) throws {
        // A child reads through its outermost parent.
        if let transaction = activity.transaction, let connection = transaction.connection {
            // What the transaction wrote is seen by its own connection alone.
            return try container.saying(doing()) {
                try connection.uninterrupted { try observing(connection) { try body(connection) } }
            }
        }
        try container.read(doing(), in: reading.generation(container)) { connection in
            try observing(connection) {
                guard let cancellation = reading.cancellation else { return try body(connection) }
                try cancellation.run(connection, body)
            }
        }
    }

    func read<Result>(_ doing: @autoclosure () -> String, _ body: (Connection) throws -> Result) throws -> Result {
        var result: Result?
        try read(doing()) { connection in result = try body(connection) }
        // The closure either ran to its end or threw.
        return result.unsafelyUnwrapped
    }

    /// Counts the statements that a closure executes on a connection, and notifies the observer.
    @inline(__always)
    func observing(_ connection: Connection, _ body: () throws -> Void) rethrows {
        let before = connection.runs.count
        defer { statementCount &+= connection.runs.count &- before }
        if container.statementListeners.isEmpty {
            guard let tracingObserver = reading.tracingObserver else { return try body() }
            return try StatementTracer(tracingObserver, contextName: name).trace(connection, body)
        }
        try container.statementListeners.trace(
            connection, of: self, name: name, beside: reading.tracingObserver, body)
    }
}
