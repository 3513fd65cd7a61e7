import SystemFoundation

/// A connection to a store's file, with its prepared statements.
///
/// `@unchecked Sendable`: a connection is opened without SQLite's own mutex, and only its holder uses it.
/// ``ConnectionPool`` gives each connection to one caller at a time: the writer under a `Mutex`, a reader by removing
/// it from the pool's list. The transfer goes through a `Mutex`, which orders the accesses.
@usableFromInline
package final class Connection: @unchecked Sendable {
    // Checked accesses here and in ``Statement`` would cost a look-up 8 % more instructions and a batch insertion 6 %;
    // see Access-checks-are-off-for-objects.md in Documentation/Decisions.

    package let database: OpaquePointer
    /// The time that a statement waits for other writers, and whether the connection is ending.
    package let ending: ConnectionEnding
    /// Whether the connection was closed before its last user released it.
    @exclusivity(unchecked) var isClosed = false
    /// The functions that statements may call; nil if there are only SQLite's.
    let functions: FunctionLibrary?
    /// Whether the functions are registered.
    @exclusivity(unchecked) private var hasFunctions = false
    /// The comparison for unknown collations; nil if such a collation is an error.
    @exclusivity(unchecked) var missingCollations: MissingCollations?
    /// Counts the statements that ran.
    package let runs = RunCounter()
    /// The state that other modules keep with the connection.
    @inlinable package var attachment: (any ConnectionAttachment)? {
        get { attachmentStorage }
        set { attachmentStorage = newValue }
    }
    @exclusivity(unchecked) @usableFromInline var attachmentStorage: (any ConnectionAttachment)?
    /// The guard that checks statements as they are prepared, while statements from a file run; nil otherwise.
    @exclusivity(unchecked) package var statementGuard: StatementGuard?
    /// The cancellation of the present reading.
    @exclusivity(unchecked) var cancellation: FetchCancellation? { didSet { installProgressHandler() } }
    /// The step limit of the statement whose rows are being read.
    @exclusivity(unchecked) var stepLimit: StepLimit? { didSet { installProgressHandler() } }
    @exclusivity(unchecked) private var statements: [HashedText: Statement] = [:]
    /// The statements whose texts have numbers.
    @exclusivity(unchecked) private var numberedStatements = NumberedStatements()
    /// The statements that belong to objects, by the objects' numbers.
    @exclusivity(unchecked) @usableFromInline
    var ownedStatements: ContiguousArray<(owner: AnyObject, statement: Statement)?> = []

    /// The schemas that were read, by the names of their databases.
    @exclusivity(unchecked) var schemas: [String: KnownSchema] = [:]

    /// Opens a connection. Throws an ``SQLiteError`` with code 14 (`SQLITE_CANTOPEN`) if the file cannot be opened.
    ///
    /// - Parameters:
    ///   - busyTimeout: The time that statements wait for other writers, in milliseconds.
    ///   - functions: The functions to register with the first statement that seems to need them.
    package init(
        opening path: String, flags: Int32, busyTimeout: Int32 = 5000, functions: FunctionLibrary? = nil
    ) throws(SQLiteError) {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle else {
            let error = SQLiteError(code, connection: handle)
            sqlite3_close_v2(handle)
            throw error
        }
        database = handle
        ending = ConnectionEnding(busyTimeout: busyTimeout)
        self.functions = functions
        try check(ending.install(on: handle))
    }

    /// Throws if a result code of SQLite is an error.
    package func check(_ code: Int32) throws(SQLiteError) {
        if code != SQLITE_OK { throw SQLiteError(code, connection: database) }
    }

    /// Registers the functions of the library, unless they are registered.
    package func registerFunctions() throws(SQLiteError) {
        guard !hasFunctions, let functions else { return }
        try check(functions.register(database))
        hasFunctions = true
    }

    /// Registers a collation.
    package func addCollation(_ name: String, _ compare: @escaping TextComparison) throws(SQLiteError) {
        try check(sqlite3_create_collation_v2(database, name, SQLITE_UTF8, nil, compare, nil))
    }

    /// Compares two texts, each with a length and an address, in SQLite's calling convention.
    package typealias TextComparison =
        @convention(c) (
            UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?
        ) -> Int32

    deinit {
        if isClosed { return }
        attachment = nil
        forgetStatements()
        sqlite3_close_v2(database)
    }

    /// The prepared statement of a text, from the cache if the text was used before.
    ///
    /// If rows of the same text are being read, the caller gets a statement of its own, which is not kept; otherwise
    /// those rows would begin again. An observer that is notified of a row may cause this. The two functions below do
    /// the same.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        let text = HashedText(sql)
        let known = statements[text]
        if let known, !known.isRunning { return known }
        let statement = try prepareAttached(sql)
        if known != nil { return statement }
        if statements.count >= 512 {
            // A program that writes values into the text of its conditions would otherwise grow this without end.
            statements.removeAll()
            numberedStatements.removeAll()
        }
        statements[text] = statement
        return statement
    }

    /// The prepared statement of a query, found by its number if it has one.
    package func statement(_ sql: BoundStatement) throws(SQLiteError) -> Statement {
        guard let number = sql.number else { return try statement(sql.text) }
        let known = numberedStatements[number]
        if let known, !known.isRunning { return known }
        let statement = try statement(sql.text)
        if known == nil { numberedStatements.note(statement, number) }
        return statement
    }

    /// The statement that belongs to an object with a small number of its own. It is found without its text.
    @inlinable
    package func statement(
        of owner: AnyObject, number: Int, _ sql: @autoclosure () -> String
    ) throws(SQLiteError) -> Statement {
        if number < ownedStatements.count, let known = ownedStatements[number], known.owner === owner,
            !known.statement.isRunning
        {
            return known.statement
        }
        return try makeStatement(of: owner, number: number, sql())
    }

    @usableFromInline
    func makeStatement(of owner: AnyObject, number: Int, _ sql: String) throws(SQLiteError) -> Statement {
        while ownedStatements.count <= number { ownedStatements.append(nil) }
        let statement = try prepareAttached(sql)
        if let known = ownedStatements[number], known.owner === owner { return statement }
        ownedStatements[number] = (owner, statement)
        return statement
    }

    /// Prepares a statement that is not kept, with the same attachments as kept ones.
    private func prepareAttached(_ sql: String) throws(SQLiteError) -> Statement {
        let statement = try prepare(sql)
        attachment?.connection(self, hasPrepared: statement)
        return statement
    }

    /// Prepares a statement that is not kept.
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        if !hasFunctions, FunctionLibrary.mayNeedLater(sql) { try registerFunctions() }
        return try Statement(sql, database: database, functions: functions, runs: runs)
    }

    /// Runs a statement without values to its end.
    ///
    /// Throws an ``SQLiteError`` with code 21 (`SQLITE_MISUSE`) for a text with more than one statement, and runs none
    /// of them. A name from a file, for example, may have ended one statement and begun another.
    package func execute(_ sql: String) throws(SQLiteError) {
        try execute(sql, checking: { _ in true })
    }

    /// Runs statements one after another, up to the first failure.
    package func execute(_ statements: [String]) throws(SQLiteError) {
        for statement in statements { try execute(statement) }
    }

    /// Runs a statement, unless a closure refuses the compiled statement.
    package func execute(_ sql: String, checking isRight: (OpaquePointer?) -> Bool) throws(SQLiteError) {
        if ending.hasBegun, !sql.hasPrefix("ROLLBACK") { throw SQLiteError(ended: sql) }
        if !hasFunctions, FunctionLibrary.mayNeedLater(sql) { try registerFunctions() }
        let result = sql.withCString { execute($0, checking: isRight) }
        switch result {
        case .done(SQLITE_OK): return
        case .done(let code): throw SQLiteError(code, connection: database, sql: sql)
        case .refused(let reason): throw SQLiteError(refused: sql, reason)
        }
    }

    private enum Execution {
        case done(Int32)
        case refused(String)
    }

    private func execute(_ sql: UnsafePointer<CChar>, checking isRight: (OpaquePointer?) -> Bool) -> Execution {
        var statement: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        let code = FunctionLibrary.prepare(
            sql, on: database, flags: 0, functions, &statement, &tail)
        if code != SQLITE_OK { return .done(code) }
        // White space and comments are not statements.
        guard let statement else {
            guard tail.map(StatementTail.isEmpty) ?? true else { return .refused(StatementTail.refusal) }
            return isRight(nil) ? .done(SQLITE_OK) : .refused("the text makes nothing")
        }
        if let tail, !StatementTail.isEmpty(tail) {
            sqlite3_finalize(statement)
            return .refused(StatementTail.refusal)
        }
        guard isRight(statement) else {
            sqlite3_finalize(statement)
            return .refused("the text makes something else")
        }
        while sqlite3_step(statement) == SQLITE_ROW {}
        return .done(sqlite3_finalize(statement))
    }

    /// Runs a closure with another busy timeout, in milliseconds.
    package func waiting<Result, Failure: Error>(
        atMost milliseconds: Int32, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = ending.busyTimeout
        ending.busyTimeout = milliseconds
        defer { ending.busyTimeout = before }
        return try body()
    }

    /// The first column of the first row, as an integer.
    package func integer(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> Int64? {
        let statement = try statement(sql)
        defer { statement.reset() }
        statement.bind(values)
        guard try statement.step() else { return nil }
        return statement.int64(0)
    }

    /// Calls a closure with the rows of a query.
    ///
    /// The closure is called again with another statement if the first one looks at too many rows, or if another
    /// program dropped an index of the plan. Discard the results of the first call then.
    package func read(_ sql: BoundStatement, _ body: (Statement) throws -> Void) throws {
        guard let unplanned = sql.unplanned else { return try readInTime(sql, body) }
        do {
            try readInTime(sql, body)
        } catch let error as SQLiteError where error.isMissingIndex {
            try readOnce(unplanned(), body)
        }
    }

    /// Calls a closure with the rows of a query, as ``read(_:_:)`` does. If the closure is called twice, both calls see
    /// one state of the database.
    package func readInOneState(_ sql: BoundStatement, _ body: (Statement) throws -> Void) throws {
        if sql.detour == nil || !isInAutocommit { return try read(sql, body) }
        try execute("BEGIN")
        do {
            try read(sql, body)
            try execute("COMMIT")
        } catch {
            // Report the first error.
            try? rollBack()
            throw error
        }
    }

    private func readInTime(_ sql: BoundStatement, _ body: (Statement) throws -> Void) throws {
        guard let detour = sql.detour else { return try readOnce(sql, body) }
        if try StepLimit.run(detour.stepLimit, self, { try readOnce(sql, body) }) { return }
        try readOnce(detour.statement, body)
    }

    package func read<Result>(_ sql: BoundStatement, _ body: (Statement) throws -> Result) throws -> Result {
        var result: Result?
        try read(sql) { statement in result = try body(statement) }
        // The closure either ran to its end or threw.
        return result.unsafelyUnwrapped
    }

    private func readOnce(_ sql: BoundStatement, _ body: (Statement) throws -> Void) throws {
        let statement = try statement(sql)
        defer { statement.reset() }
        statement.bind(sql.values)
        try body(statement)
    }

    /// The first column of the first row, as text.
    package func text(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> String? {
        let statement = try statement(sql)
        defer { statement.reset() }
        statement.bind(values)
        guard try statement.step() else { return nil }
        return statement.text(0)
    }

    /// Forgets all statements. Call it after a change of the schema.
    package func forgetStatements() {
        statements.removeAll()
        numberedStatements.removeAll()
        ownedStatements.removeAll()
        schemas.removeAll()
    }

    /// Whether no transaction is open.
    package var isInAutocommit: Bool { sqlite3_get_autocommit(database) != 0 }

    /// The number of rows that the last statement inserted, changed or deleted.
    package var changes: Int { Int(sqlite3_changes(database)) }
}

/// A text with its hash, which is computed once, however often its dictionary grows.
private struct HashedText: Hashable {
    private let text: String
    private let number: Int

    package init(_ text: String) {
        self.text = text
        number = text.hashValue
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
