/// Ends a statement that takes more steps of SQLite's machine than it should.
///
/// A progress handler counts them, a thousand at a time; it costs nothing that could be measured. SQLite counts those of all
/// statements of a connection: who runs others while rows of a limited one are gone over does so in
/// ``Connection/uninterrupted(_:)``.
package final class StepLimit {
    private var remaining: Int
    /// Asked once the limit is exceeded, whether to end the statement; nil where that is so in any case.
    private var isToEndNow: (() -> Bool)?
    package private(set) var isExceeded = false

    private init(_ stepLimit: Int, _ isToEndNow: (() -> Bool)?) {
        remaining = stepLimit / Int(Connection.progressInterval) + 1
        self.isToEndNow = isToEndNow
    }

    /// Runs a closure whose statement may take so many steps; false where it took more and was ended.
    package static func run(_ stepLimit: Int, _ connection: Connection, _ body: () throws -> Void) throws -> Bool {
        try run(StepLimit(stepLimit, nil), connection, body)
    }

    /// Runs a closure whose statement may take so many steps, and more where another closure says so, which is asked once and must not
    /// use the connection; false where it was ended.
    package static func run(
        _ stepLimit: Int, _ connection: Connection, isToEnd: () -> Bool, while body: () throws -> Void
    ) throws -> Bool {
        try withoutActuallyEscaping(isToEnd) { isToEnd in
            let limit = StepLimit(stepLimit, isToEnd)
            // It lets go of the closure before that ends.
            defer { limit.isToEndNow = nil }
            return try run(limit, connection, body)
        }
    }

    private static func run(_ limit: StepLimit, _ connection: Connection, _ body: () throws -> Void) throws -> Bool {
        let outer = connection.stepLimit
        connection.stepLimit = limit
        defer { connection.stepLimit = outer }
        do {
            try body()
            return true
        } catch let error as SQLiteError where error.code & 0xFF == SQLITE_INTERRUPT && limit.isExceeded {
            return false
        }
    }

    /// Counts another thousand steps, and says whether they are too many.
    func isToEnd() -> Bool {
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
