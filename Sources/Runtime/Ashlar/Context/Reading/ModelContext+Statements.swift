import AshlarSQLite

extension ModelContext {
    /// Runs a closure with a connection for reading, counts its statements, and notifies the observer.
    ///
    /// This variant for frequent reads returns nothing: in unoptimized builds, each generic function on the way costs
    /// as much as finding a row.
    func read(_ doing: @autoclosure () -> String, _ body: (Connection) throws -> Void) throws {
        // A child reads through its outermost parent.
        if let transaction = activity.transaction, let connection = transaction.connection {
            // Only the transaction's own connection sees its writes.
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
        // The closure either completed or threw.
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
