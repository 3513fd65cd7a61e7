/// Restricts the actions of statements, while SQLite compiles them.
///
/// SQLite asks for each action: a table to make, a column to read, a file to attach.
package final class StatementGuard {
    /// An action of a statement.
    package struct Step {
        /// SQLite's code, such as `SQLITE_ATTACH`.
        package var action: Int32
        /// The object that is made, read or called; its meaning depends on the code.
        package var first: UnsafePointer<CChar>?
        package var second: UnsafePointer<CChar>?
        package var database: UnsafePointer<CChar>?
        /// The trigger or view that contains the action.
        package var origin: UnsafePointer<CChar>?

        /// Whether a name equals another one, as SQLite compares names.
        package static func isSame(_ name: UnsafePointer<CChar>?, _ other: String) -> Bool {
            name != nil && sqlite3_stricmp(name, other) == 0
        }

        /// Whether a name has a prefix, as SQLite compares names.
        package static func isBeginning(_ beginning: String, of name: UnsafePointer<CChar>?) -> Bool {
            name != nil && sqlite3_strnicmp(name, beginning, Int32(beginning.utf8.count)) == 0
        }
    }

    private let allows: (Step) -> Bool
    /// The first forbidden action.
    package private(set) var forbidden: String?

    package init(allows: @escaping (Step) -> Bool) { self.allows = allows }

    /// A guard that keeps statements within their database: they attach no file, load no code, and do not change the
    /// settings that make a file trusted.
    package static func confined() -> StatementGuard { StatementGuard(allows: staysWithin) }

    package static func staysWithin(_ step: Step) -> Bool {
        switch step.action {
        case SQLITE_ATTACH, SQLITE_DETACH: false
        case SQLITE_FUNCTION: !forbiddenFunctions.contains { Step.isSame(step.second, $0) }
        case SQLITE_PRAGMA: !forbiddenSettings.contains { Step.isSame(step.first, $0) }
        default: true
        }
    }

    /// Whether an action of a query only reads tables.
    package static func onlyReads(_ step: Step) -> Bool {
        switch step.action {
        case SQLITE_SELECT, SQLITE_READ: true
        // A virtual table declares its columns in this way, which writes nothing.
        case SQLITE_UPDATE: step.isOfSchemaTable
        // A full-text index checks whether another program wrote.
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
    /// Runs a closure whose statements a guard checks, in addition to the present guards.
    ///
    /// Statements that were prepared before are compiled again when they run.
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

    /// Runs a closure whose statements must stay within the database, because their text comes from a file.
    package func confined<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try guarded(by: .confined(), body)
    }

    /// Runs a closure of the program, whose statements no guard checks.
    package func unguarded<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let before = statementGuard
        install(nil)
        defer { install(before) }
        return try body()
    }

    /// Makes a guard check all statements from now on.
    package func install(_ statementGuard: StatementGuard?) {
        self.statementGuard = statementGuard
        guard let statementGuard else {
            sqlite3_set_authorizer(database, nil, nil)
            return
        }
        // The connection keeps the guard as long as SQLite may call it.
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
