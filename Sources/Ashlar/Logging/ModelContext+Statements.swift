extension ModelContext {
    /// Reads on a connection of one's own, counts the statements and tells the observer of them.
    func read<Result>(_ doing: @autoclosure () -> String, _ body: (Connection) throws -> Result) throws -> Result {
        try container.read(doing(), in: generationToRead()) { connection in
            try observing(connection) {
                guard let cancellation else { return try body(connection) }
                return try cancellation.run(connection, body)
            }
        }
    }

    /// Counts the statements that a closure runs on a connection, and tells the observer of them.
    @inline(__always)
    func observing<Result>(_ connection: Connection, _ body: () throws -> Result) rethrows -> Result {
        let before = connection.runs.count
        defer { statementCount &+= connection.runs.count &- before }
        guard let tracingObserver else { return try body() }
        return try StatementTracer(tracingObserver, contextName: name).trace(connection, body)
    }
}
