/// Functions and collations that are needed only to compile statements.
extension Connection {
    /// Registers the same comparison for each unknown collation that a statement names.
    package func addMissingCollations(_ compare: @escaping TextComparison) throws(SQLiteError) {
        let box = MissingCollations(compare)
        missingCollations = box
        try check(
            sqlite3_collation_needed(database, Unmanaged.passUnretained(box).toOpaque()) {
                box, database, encoding, name in
                guard let box else { return }
                let compare = Unmanaged<MissingCollations>.fromOpaque(box).takeUnretainedValue().compare
                // If the registration fails, the statement that needs the collation reports it.
                sqlite3_create_collation_v2(database, name, encoding, nil, compare, nil)
            })
    }

    /// Registers a function of any number of arguments that returns NULL.
    package func addEmptyFunction(_ name: String, isAggregate: Bool) throws(SQLiteError) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        if isAggregate {
            try check(
                sqlite3_create_function_v2(
                    database, name, -1, flags, nil, nil, { _, _, _ in }, { sqlite3_result_null($0) }, nil))
        } else {
            try check(
                sqlite3_create_function_v2(
                    database, name, -1, flags, nil, { context, _, _ in sqlite3_result_null(context) }, nil, nil, nil))
        }
    }

    /// Sets the limit of one of `SQLITE_LIMIT_…`. SQLite refuses anything larger.
    package func limit(_ limit: Int32, _ value: Int32) { sqlite3_limit(database, limit, value) }
}

/// The comparison for all unknown collations.
final class MissingCollations {
    let compare: Connection.TextComparison

    init(_ compare: @escaping Connection.TextComparison) { self.compare = compare }
}
