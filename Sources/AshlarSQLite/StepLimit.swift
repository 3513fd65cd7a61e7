/// Ends a statement that takes more steps of SQLite's machine than it should.
///
/// A progress handler counts them, a thousand at a time; it costs nothing that could be measured.
package final class StepLimit {
    private static let interval: Int32 = 1000
    private var remaining: Int
    private let cancellation: FetchCancellation?
    /// Asked once the limit is exceeded, whether to end the statement; nil where that is so in any case.
    private var isToEndNow: (() -> Bool)?
    package private(set) var isExceeded = false

    private init(_ stepLimit: Int, _ cancellation: FetchCancellation?, _ isToEndNow: (() -> Bool)?) {
        remaining = stepLimit / Int(Self.interval) + 1
        self.cancellation = cancellation
        self.isToEndNow = isToEndNow
    }

    /// Runs a closure whose statement may take so many steps; false where it took more and was ended.
    package static func run(_ stepLimit: Int, _ connection: Connection, _ body: () throws -> Void) throws -> Bool {
        try run(StepLimit(stepLimit, connection.cancellation, nil), connection, body)
    }

    /// Runs a closure whose statement may take so many steps, and more where another closure says so, which is asked once and must not
    /// use the connection; false where it was ended.
    package static func run(
        _ stepLimit: Int, _ connection: Connection, isToEnd: () -> Bool, while body: () throws -> Void
    ) throws -> Bool {
        try withoutActuallyEscaping(isToEnd) { isToEnd in
            let limit = StepLimit(stepLimit, connection.cancellation, isToEnd)
            // It lets go of the closure before that ends.
            defer { limit.isToEndNow = nil }
            return try run(limit, connection, body)
        }
    }

    private static func run(_ limit: StepLimit, _ connection: Connection, _ body: () throws -> Void) throws -> Bool {
        sqlite3_progress_handler(
            connection.database, interval,
            { limit in
                guard let limit else { return 0 }
                return Unmanaged<StepLimit>.fromOpaque(limit).takeUnretainedValue().isToEnd() ? 1 : 0
            }, Unmanaged.passUnretained(limit).toOpaque())
        defer {
            sqlite3_progress_handler(connection.database, 0, nil, nil)
            connection.cancellation?.install(on: connection)
        }
        do {
            try withExtendedLifetime(limit) { try body() }
            return true
        } catch let error as SQLiteError where error.code & 0xFF == SQLITE_INTERRUPT && limit.isExceeded {
            return false
        }
    }

    private func isToEnd() -> Bool {
        if let cancellation, cancellation.isCancelled { return true }
        remaining -= 1
        if remaining >= 0 { return false }
        if let isToEndNow {
            self.isToEndNow = nil
            if !isToEndNow() {
                remaining = .max
                return false
            }
        }
        isExceeded = true
        return true
    }
}
