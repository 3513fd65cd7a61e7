import Foundation

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// One connection to a store's file, with the statements that it keeps prepared.
///
/// `@unchecked Sendable`: a connection is opened without SQLite's own mutex and is only ever used by whoever holds it.
/// ``ConnectionPool`` hands each to one caller at a time, the writer under a `Mutex`, a reader by taking it out of the
/// pool's list; the hand-over goes through a `Mutex`, which orders the accesses.
package final class Connection: @unchecked Sendable {
    let database: OpaquePointer
    /// How long a statement waits for others that write, in milliseconds.
    @exclusivity(unchecked) private var busyTimeout: Int32
    /// Whether the functions of ours are known.
    @exclusivity(unchecked) private var hasFunctions = false
    /// Counts the statements that ran.
    let runs = RunCounter()
    /// Whether temporary triggers note the rows whose derived values change.
    @exclusivity(unchecked) var notesDerivedChanges = false
    /// Where the connection that writes a file's store puts large values; nil for others.
    @exclusivity(unchecked) var externalData: ExternalDataWriter? { didSet { forgetStatements() } }
    /// What records who changed the store; nil where its history is off.
    @exclusivity(unchecked) var history: HistoryRecorder?
    /// Where the connection that writes several stores puts their large values, by the names under which it knows them.
    @exclusivity(unchecked) var externalDataOfStores: [String: ExternalDataWriter] = [:]
    /// What finds out that others migrate the stores of a container, or take their files away; none before it is open.
    @exclusivity(unchecked) private(set) var watches: [WatchedStore] = []
    /// The numbers that the connection that writes gives to new rows, by the names under which it knows the stores that
    /// have a range of their own.
    @exclusivity(unchecked) var identifierRanges: [String: IdentifierRange] = [:]
    /// By the numbers of the stores, what the connection knew of their commits when it was last asked who made them.
    @exclusivity(unchecked) var seenDataVersions: [Int: UInt32] = [:]
    /// What looks at the statements that are prepared, while such are run as a file had a part in; nil mostly.
    @exclusivity(unchecked) var statementGuard: StatementGuard?
    /// What may end the statements of the reading that goes on.
    @exclusivity(unchecked) var cancellation: FetchCancellation?
    /// The rows that a statement writes together.
    private(set) lazy var pendingRows = PendingRows(database)
    /// How many there must be of them.
    @exclusivity(unchecked) var leastPendingRows = PendingRows.leastCount
    @exclusivity(unchecked) private var statements: [HashedText: Statement] = [:]
    /// Those of them whose texts have numbers.
    @exclusivity(unchecked) private var numberedStatements: [Int: Statement] = [:]
    @exclusivity(unchecked)
    private var statementsForOne: ContiguousArray<(entity: EntityDescription, statement: Statement)?> = []

    /// Opens a connection, which waits for others that write for some milliseconds. Throws an ``SQLiteError`` of code 14
    /// (`SQLITE_CANTOPEN`) when the file cannot be opened.
    ///
    /// - Parameter registersFunctions: Whether the functions of ours are known from the beginning; else from the first
    ///   statement on that seems to need one.
    init(
        path: String, flags: Int32, busyTimeout: Int32 = 5000, registersFunctions: Bool = true
    ) throws(SQLiteError) {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle else {
            let error = SQLiteError(code, connection: handle)
            sqlite3_close_v2(handle)
            throw error
        }
        database = handle
        self.busyTimeout = busyTimeout
        sqlite3_busy_timeout(handle, busyTimeout)
        DecimalCollation.register(on: handle)
        TextCollation.register(on: handle)
        if registersFunctions { registerFunctions() }
    }

    /// Has the connection find out what others do to the stores.
    ///
    /// - Parameter isReader: Whether it reads without a transaction of its own, in which nothing could change.
    func watch(_ stores: [StoreWatch], isReader: Bool) {
        watches = stores.map(WatchedStore.init)
        runs.isWatched = isReader
    }

    /// Makes the functions of ours known, where they are not yet.
    func registerFunctions() {
        if hasFunctions { return }
        RegisteredFunctions.register(on: database)
        hasFunctions = true
    }

    deinit {
        watches = []
        forgetStatements()
        sqlite3_close_v2(database)
    }

    /// The prepared statement of a text, from the cache where it was used before.
    func statement(_ sql: String) throws(SQLiteError) -> Statement {
        let text = HashedText(sql)
        if let statement = statements[text] { return statement }
        if !hasFunctions, RegisteredFunctions.mayNeedLater(sql) { registerFunctions() }
        let statement = try Statement(sql, database: database, runs: runs)
        statement.externalData = externalData
        if statements.count >= 512 {
            // Programs that write values into their conditions' text would otherwise grow this without end.
            statements.removeAll()
            numberedStatements.removeAll()
        }
        statements[text] = statement
        return statement
    }

    /// The prepared statement of a query, found without looking at its text where that has a number.
    func statement(_ sql: BoundStatement) throws(SQLiteError) -> Statement {
        guard let number = sql.number else { return try statement(sql.text) }
        if let statement = numberedStatements[number] { return statement }
        let statement = try statement(sql.text)
        // A text that was forgotten and written anew has another number.
        if numberedStatements.count >= 512 { numberedStatements.removeAll() }
        numberedStatements[number] = statement
        return statement
    }

    /// The statement that reads a row of an entity by its identifier, found without looking at its text.
    func statementForOne(_ entity: EntityDescription) throws(SQLiteError) -> Statement {
        let number = Int(entity.number.entity)
        if number < statementsForOne.count, let known = statementsForOne[number], known.entity === entity {
            return known.statement
        }
        while statementsForOne.count <= number { statementsForOne.append(nil) }
        let statement = try Statement(entity.selectOneStatement, database: database, runs: runs)
        statementsForOne[number] = (entity, statement)
        return statement
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
    func execute(_ sql: String, checking isRight: (OpaquePointer?) -> Bool) throws(SQLiteError) {
        if !hasFunctions, RegisteredFunctions.mayNeedLater(sql) { registerFunctions() }
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
        let code = RegisteredFunctions.prepare(sql, on: database, flags: 0, &statement, &tail)
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
    func waiting<Result, Failure: Error>(
        atMost milliseconds: Int32, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = busyTimeout
        setBusyTimeout(milliseconds)
        defer { setBusyTimeout(before) }
        return try body()
    }

    private func setBusyTimeout(_ milliseconds: Int32) {
        busyTimeout = milliseconds
        sqlite3_busy_timeout(database, milliseconds)
    }

    /// The first column of the first row, as an integer.
    func integer(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> Int64? {
        let statement = try statement(sql)
        defer { statement.reset() }
        for (index, value) in values.enumerated() { statement.bind(value, Int32(index + 1)) }
        guard try statement.step() else { return nil }
        return Row(statement: statement.handle, store: 0).optionalInt64(0)
    }

    /// Lets a closure read the rows of a query.
    ///
    /// It is called a second time, with another statement, where the first looks at more rows than it should: what it was
    /// given before counts no more. So it is where another program dropped an index since the statement was planned.
    func read(_ sql: BoundStatement, _ body: (Statement) throws -> Void) throws {
        guard let unplanned = sql.unplanned else { return try readInTime(sql, body) }
        do {
            try readInTime(sql, body)
        } catch let error as SQLiteError where error.isMissingIndex {
            try readOnce(unplanned(), body)
        }
    }

    private func readInTime(_ sql: BoundStatement, _ body: (Statement) throws -> Void) throws {
        guard let detour = sql.detour else { return try readOnce(sql, body) }
        if try StepLimit.run(detour.stepLimit, self, { try readOnce(sql, body) }) { return }
        try readOnce(detour.statement, body)
    }

    func read<Result>(_ sql: BoundStatement, _ body: (Statement) throws -> Result) throws -> Result {
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
    func text(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> String? {
        let statement = try statement(sql)
        defer { statement.reset() }
        for (index, value) in values.enumerated() { statement.bind(value, Int32(index + 1)) }
        guard try statement.step() else { return nil }
        return Row(statement: statement.handle, store: 0).optionalString(0)
    }

    /// Forgets all statements, as must be done after the schema changed.
    func forgetStatements() {
        statements.removeAll()
        numberedStatements.removeAll()
        statementsForOne.removeAll()
    }

    /// Whether no transaction is open.
    var isInAutocommit: Bool { sqlite3_get_autocommit(database) != 0 }

    /// The number of rows that the last statement inserted, changed or deleted.
    var changes: Int { Int(sqlite3_changes(database)) }
}

/// A text whose hash is made once, however often the dictionary that it is in grows.
private struct HashedText: Hashable {
    private let text: String
    private let number: Int

    init(_ text: String) {
        self.text = text
        number = text.hashValue
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
