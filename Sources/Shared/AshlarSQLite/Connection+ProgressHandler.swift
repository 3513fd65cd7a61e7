/// The progress handler, which may end a running statement.
extension Connection {
    /// The number of virtual machine steps between two calls of the progress handler.
    static let progressInterval: Int32 = 1000

    /// Runs a closure that reads or writes while the rows of another statement are being read. Its steps do not count
    /// for that statement, and the cancellation of that statement does not end it.
    package func uninterrupted<Result>(_ body: () throws -> Result) rethrows -> Result {
        if cancellation == nil, stepLimit == nil { return try body() }
        let outer = (cancellation, stepLimit)
        (cancellation, stepLimit) = (nil, nil)
        defer { (cancellation, stepLimit) = outer }
        return try body()
    }

    /// Installs the progress handler if anything may end the running statement. `sqlite3_interrupt` would have no
    /// effect between two statements.
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
