import SystemFoundation

/// One connection to a store's file, with the statements that it keeps prepared.
///
/// `@unchecked Sendable`: a connection is opened without SQLite's own mutex and is only ever used by whoever holds it.
/// ``ConnectionPool`` hands each to one caller at a time, the writer under a `Mutex`, a reader by taking it out of the
/// pool's list; the hand-over goes through a `Mutex`, which orders the accesses.
@usableFromInline
package final class Connection: @unchecked Sendable {
    // Checked accesses here and in ``Statement`` would cost a look-up 8 % more instructions and a batch insertion 6 %; see
    // Access-checks-are-off-for-objects.md in Documentation/Decisions.

    package let database: OpaquePointer
    /// How long a statement waits for others that write, and whether it waits for anything any more.
    package let ending: ConnectionEnding
    /// Whether it was closed before its last user let go of it.
    @exclusivity(unchecked) var isClosed = false
    /// The functions that statements may call; nil where there are none but SQLite's.
    let functions: FunctionLibrary?
    /// Whether they are known to SQLite.
    @exclusivity(unchecked) private var hasFunctions = false
    /// How texts are compared in orders that are not known; nil where such are errors.
    @exclusivity(unchecked) var missingCollations: MissingCollations?
    /// Counts the statements that ran.
    package let runs = RunCounter()
    /// What those above keep with the connection.
    @inlinable package var attachment: (any ConnectionAttachment)? {
        get { attachmentStorage }
        set { attachmentStorage = newValue }
    }
    @exclusivity(unchecked) @usableFromInline var attachmentStorage: (any ConnectionAttachment)?
    /// What looks at the statements that are prepared, while such are run as a file had a part in; nil mostly.
    @exclusivity(unchecked) package var statementGuard: StatementGuard?
    /// What may end the statements of the reading that goes on.
    @exclusivity(unchecked) var cancellation: FetchCancellation? { didSet { installProgressHandler() } }
    /// What may end the statement whose rows are gone over, when it takes too long.
    @exclusivity(unchecked) var stepLimit: StepLimit? { didSet { installProgressHandler() } }
    @exclusivity(unchecked) private var statements: [HashedText: Statement] = [:]
    /// Those of them whose texts have numbers.
    @exclusivity(unchecked) private var numberedStatements = NumberedStatements()
    /// Those that belong to objects, by the objects' numbers.
    @exclusivity(unchecked) @usableFromInline
    var ownedStatements: ContiguousArray<(owner: AnyObject, statement: Statement)?> = []

    /// Opens a connection, which waits for others that write for some milliseconds. Throws an ``SQLiteError`` of code 14
    /// (`SQLITE_CANTOPEN`) when the file cannot be opened.
    ///
    /// - Parameter functions: What SQLite is told of with the first statement that seems to need it.
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

    /// Throws when SQLite did not do what it was asked for.
    package func check(_ code: Int32) throws(SQLiteError) {
        if code != SQLITE_OK { throw SQLiteError(code, connection: database) }
    }

    /// Makes the functions of the library known, where they are not yet.
    package func registerFunctions() throws(SQLiteError) {
        guard !hasFunctions, let functions else { return }
        try check(functions.register(database))
        hasFunctions = true
    }

    /// Makes an order of texts known.
    package func addCollation(_ name: String, _ compare: @escaping TextComparison) throws(SQLiteError) {
        try check(sqlite3_create_collation_v2(database, name, SQLITE_UTF8, nil, compare, nil))
    }

    /// Compares two texts, of which each has a length and an address, as SQLite calls it.
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

    /// The prepared statement of a text, from the cache where it was used before.
    ///
    /// Who asks while rows of the same text are read, as an observer may who is told of one of them, gets a statement of its own;
    /// else those rows would begin anew. So do the two functions below. It is not kept.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        let text = HashedText(sql)
        let known = statements[text]
        if let known, !known.isRunning { return known }
        let statement = try prepareAttached(sql)
        if known != nil { return statement }
        if statements.count >= 512 {
            // Programs that write values into their conditions' text would otherwise grow this without end.
            statements.removeAll()
            numberedStatements.removeAll()
        }
        statements[text] = statement
        return statement
    }

    /// The prepared statement of a query, found without looking at its text where that has a number.
    package func statement(_ sql: BoundStatement) throws(SQLiteError) -> Statement {
        guard let number = sql.number else { return try statement(sql.text) }
        let known = numberedStatements[number]
        if let known, !known.isRunning { return known }
        let statement = try statement(sql.text)
        if known == nil { numberedStatements.note(statement, number) }
        return statement
    }

    /// The statement that belongs to an object, which has a small number of its own: it is found without looking at its
    /// text.
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

    /// Prepares a statement that is not kept, for who reads as with those that are.
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

    /// Runs a statement that binds no values, to its end.
    ///
    /// Of a text with more than one statement nothing is run: what comes from a file, a name say, might have ended one
    /// and begun another. Throws an ``SQLiteError`` of code 21 (`SQLITE_MISUSE`) then.
    package func execute(_ sql: String) throws(SQLiteError) {
        try execute(sql, checking: { _ in true })
    }

    /// Runs statements one after another, up to the first that fails.
    package func execute(_ statements: [String]) throws(SQLiteError) {
        for statement in statements { try execute(statement) }
    }

    /// Runs a statement unless a closure, which is given it when it is compiled, says that it is not the one that it
    /// should be.
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
        // White space or a comment is no statement.
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

    /// Runs a closure whose statements wait for others another time than they do otherwise, in milliseconds.
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

    /// Lets a closure read the rows of a query.
    ///
    /// It is called a second time, with another statement, where the first looks at more rows than it should: what it was
    /// given before counts no more. So it is where another program dropped an index since the statement was planned.
    package func read(_ sql: BoundStatement, _ body: (Statement) throws -> Void) throws {
        guard let unplanned = sql.unplanned else { return try readInTime(sql, body) }
        do {
            try readInTime(sql, body)
        } catch let error as SQLiteError where error.isMissingIndex {
            try readOnce(unplanned(), body)
        }
    }

    /// Lets a closure read the rows of a query as ``read(_:_:)`` does, in one state of the database where it may be called twice.
    package func readInOneState(_ sql: BoundStatement, _ body: (Statement) throws -> Void) throws {
        if sql.detour == nil || !isInAutocommit { return try read(sql, body) }
        try execute("BEGIN")
        do {
            try read(sql, body)
            try execute("COMMIT")
        } catch {
            // The error to tell is the first.
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

    /// Forgets all statements, as must be done after the schema changed.
    package func forgetStatements() {
        statements.removeAll()
        numberedStatements.removeAll()
        ownedStatements.removeAll()
    }

    /// Whether no transaction is open.
    package var isInAutocommit: Bool { sqlite3_get_autocommit(database) != 0 }

    /// The number of rows that the last statement inserted, changed or deleted.
    package var changes: Int { Int(sqlite3_changes(database)) }
}

/// A text whose hash is made once, however often the dictionary that it is in grows.
private struct HashedText: Hashable {
    private let text: String
    private let number: Int

    package init(_ text: String) {
        self.text = text
        number = text.hashValue
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
