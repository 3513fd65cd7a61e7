/// Ends a statement that takes more steps of SQLite's machine than it should.
///
/// A progress handler counts them, a thousand at a time; it costs nothing that could be measured.
package final class StepLimit {
    private static let interval: Int32 = 1000
    private var remaining: Int
    private let cancellation: FetchCancellation?
    package private(set) var isExceeded = false

    private init(_ stepLimit: Int, _ cancellation: FetchCancellation?) {
        remaining = stepLimit / Int(Self.interval) + 1
        self.cancellation = cancellation
    }

    /// Runs a closure whose statement may take so many steps; false where it took more and was ended.
    package static func run(_ stepLimit: Int, _ connection: Connection, _ body: () throws -> Void) throws -> Bool {
        let limit = StepLimit(stepLimit, connection.cancellation)
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
        isExceeded = true
        return true
    }
}
