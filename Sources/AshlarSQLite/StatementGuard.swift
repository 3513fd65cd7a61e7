/// Decides, while SQLite compiles a statement, whether it may do what it is about to.
///
/// SQLite asks for each step: a table to make, a column to read, a file to attach.
package final class StatementGuard {
    /// A step that a statement is about to take.
    package struct Step {
        /// SQLite's code, `SQLITE_ATTACH` say.
        package var action: Int32
        /// What is made, read or called; what exactly depends on the code.
        package var first: UnsafePointer<CChar>?
        package var second: UnsafePointer<CChar>?
        package var database: UnsafePointer<CChar>?
        /// The trigger or view whose text takes the step.
        package var origin: UnsafePointer<CChar>?

        /// Whether a name is this, as SQLite compares names.
        package static func isSame(_ name: UnsafePointer<CChar>?, _ other: String) -> Bool {
            name != nil && sqlite3_stricmp(name, other) == 0
        }

        /// Whether a name begins so, as SQLite compares names.
        package static func isBeginning(_ beginning: String, of name: UnsafePointer<CChar>?) -> Bool {
            name != nil && sqlite3_strnicmp(name, beginning, Int32(beginning.utf8.count)) == 0
        }
    }

    private let allows: (Step) -> Bool
    /// The first step that was forbidden.
    package private(set) var forbidden: String?

    package init(allows: @escaping (Step) -> Bool) { self.allows = allows }

    /// What keeps statements within the database that they are about: they attach no other file, load no code, and leave
    /// alone the settings that make a file trusted.
    package static func confined() -> StatementGuard { StatementGuard(allows: staysWithin) }

    package static func staysWithin(_ step: Step) -> Bool {
        switch step.action {
        case SQLITE_ATTACH, SQLITE_DETACH: false
        case SQLITE_FUNCTION: !forbiddenFunctions.contains { Step.isSame(step.second, $0) }
        case SQLITE_PRAGMA: !forbiddenSettings.contains { Step.isSame(step.first, $0) }
        default: true
        }
    }

    /// What keeps a query to reading tables, row by row.
    package static func onlyReads(_ step: Step) -> Bool {
        switch step.action {
        case SQLITE_SELECT, SQLITE_READ: true
        // So a virtual table declares its columns, which writes nothing.
        case SQLITE_UPDATE: Step.isSame(step.first, "sqlite_master")
        // A full-text index asks whether another program wrote.
        case SQLITE_PRAGMA: Step.isSame(step.first, "data_version")
        case SQLITE_FUNCTION: staysWithin(step)
        default: false
        }
    }

    private static let forbiddenFunctions = ["load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"]
    private static let forbiddenSettings = [
        "writable_schema", "trusted_schema", "temp_store_directory", "data_store_directory", "hard_heap_limit",
    ]

    fileprivate func answer(_ step: Step) -> Int32 {
        if allows(step) { return SQLITE_OK }
        if forbidden == nil { forbidden = step.first.map { String(cString: $0) } ?? "" }
        return SQLITE_DENY
    }
}

extension Connection {
    /// Runs a closure whose statements a guard looks at, together with those that look already.
    ///
    /// Statements that were prepared before are prepared anew when they are run.
    package func guarded<Result, Failure: Error>(
        by new: StatementGuard, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = statementGuard
        let both = before.map { outer in
            StatementGuard { outer.answer($0) == SQLITE_OK && new.answer($0) == SQLITE_OK }
        }
        install(both ?? new)
        defer { install(before) }
        return try body()
    }

    /// Runs a closure whose statements must stay within the database, which is put together from what a file says.
    package func confined<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try guarded(by: .confined(), body)
    }

    /// Runs a closure of the program's own, whose statements no guard looks at.
    package func unguarded<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let before = statementGuard
        install(nil)
        defer { install(before) }
        return try body()
    }

    /// Has a guard look at all statements from now on.
    package func install(_ statementGuard: StatementGuard?) {
        self.statementGuard = statementGuard
        guard let statementGuard else {
            sqlite3_set_authorizer(database, nil, nil)
            return
        }
        // The connection keeps the guard for as long as SQLite asks it.
        sqlite3_set_authorizer(
            database,
            { context, action, first, second, database, origin in
                guard let context else { return SQLITE_OK }
                return Unmanaged<StatementGuard>.fromOpaque(context).takeUnretainedValue().answer(
                    StatementGuard.Step(
                        action: action, first: first, second: second, database: database, origin: origin))
            }, Unmanaged.passUnretained(statementGuard).toOpaque())
    }
}
