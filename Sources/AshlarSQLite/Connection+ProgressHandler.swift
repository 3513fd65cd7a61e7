/// What SQLite asks while a statement runs: whether to end it.
extension Connection {
    /// After how many steps of its machine SQLite asks whether to end the statement that runs.
    static let progressInterval: Int32 = 1000

    /// Runs a closure that reads or writes by itself while rows of a statement are gone over: its steps are not that statement's, and
    /// who may end that one does not end these.
    package func uninterrupted<Result>(_ body: () throws -> Result) rethrows -> Result {
        if cancellation == nil, stepLimit == nil { return try body() }
        let outer = (cancellation, stepLimit)
        (cancellation, stepLimit) = (nil, nil)
        defer { (cancellation, stepLimit) = outer }
        return try body()
    }

    /// Has SQLite ask whether to end the statement that runs, where anybody may end it. Not `sqlite3_interrupt`, which has no effect
    /// between two statements.
    func installProgressHandler() {
        if cancellation == nil, stepLimit == nil {
            sqlite3_progress_handler(database, 0, nil, nil)
            return
        }
        sqlite3_progress_handler(
            database, Self.progressInterval,
            { connection in
                guard let connection else { return 0 }
                return Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().isToEndStatement ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private var isToEndStatement: Bool {
        if let cancellation, cancellation.isCancelled { return true }
        return stepLimit?.isToEnd() ?? false
    }
}
