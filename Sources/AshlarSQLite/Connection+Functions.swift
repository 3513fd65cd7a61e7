/// Functions and orders of texts that are only needed so that statements can be compiled.
extension Connection {
    /// Makes each order of texts known, when a statement names it, as the same.
    package func addMissingCollations(_ compare: @escaping TextComparison) throws(SQLiteError) {
        let box = MissingCollations(compare)
        missingCollations = box
        try check(
            sqlite3_collation_needed(database, Unmanaged.passUnretained(box).toOpaque()) {
                box, database, encoding, name in
                guard let box else { return }
                let compare = Unmanaged<MissingCollations>.fromOpaque(box).takeUnretainedValue().compare
                // A statement that needs what could not be made known says so.
                sqlite3_create_collation_v2(database, name, encoding, nil, compare, nil)
            })
    }

    /// Makes a function of any number of arguments known that gives NULL.
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

    /// Has SQLite refuse what is larger than a limit, one of `SQLITE_LIMIT_…`.
    package func limit(_ limit: Int32, _ value: Int32) { sqlite3_limit(database, limit, value) }
}

/// How texts are compared in all orders that are not known.
final class MissingCollations {
    let compare: Connection.TextComparison

    init(_ compare: @escaping Connection.TextComparison) { self.compare = compare }
}
