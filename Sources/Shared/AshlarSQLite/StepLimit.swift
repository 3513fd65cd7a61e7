/// Ends a statement that takes too many virtual machine steps.
///
/// A progress handler counts the steps, a thousand at a time, at no measurable cost. SQLite counts the steps of all
/// statements of a connection. Code that runs other statements while the rows of a limited one are being read uses
/// ``Connection/uninterrupted(_:)``.
package final class StepLimit {
    private var remaining: Int
    /// Called once the limit is exceeded: whether to end the statement. Nil means yes.
    private var isToEndNow: (() -> Bool)?
    package private(set) var isExceeded = false

    private init(_ stepLimit: Int, _ isToEndNow: (() -> Bool)?) {
        remaining = stepLimit / Int(Connection.progressInterval) + 1
        self.isToEndNow = isToEndNow
    }

    /// Runs a closure whose statement may take a number of steps; false if it took more and was ended.
    package static func run(_ stepLimit: Int, _ connection: Connection, _ body: () throws -> Void) throws -> Bool {
        try run(StepLimit(stepLimit, nil), connection, body)
    }

    /// Runs a closure whose statement may take a number of steps, and more if another closure allows it; false if it
    /// was ended. The other closure is called once, and must not use the connection.
    package static func run(
        _ stepLimit: Int, _ connection: Connection, isToEnd: () -> Bool, while body: () throws -> Void
    ) throws -> Bool {
        try withoutActuallyEscaping(isToEnd) { isToEnd in
            let limit = StepLimit(stepLimit, isToEnd)
            // The limit releases the closure before it ends.
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

    /// Counts another thousand steps, and returns whether they are too many.
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
