/// The functions that statements of a connection may call in addition to SQLite's own.
///
/// Most connections never call one, and the registration takes as long as ten statements. A connection therefore
/// registers them with the first statement that cannot be prepared without them, or that may need one later.
package struct FunctionLibrary: Sendable {
    /// The prefix of all names.
    let prefix: String
    private let functions: [LibraryFunction]

    package init(prefix: String, functions: [LibraryFunction]) {
        self.prefix = prefix
        self.functions = functions
    }

    /// Registers the functions with a connection. Returns SQLite's code for the first that it refuses.
    func register(_ database: OpaquePointer) -> Int32 {
        for function in functions {
            let code = function.register(on: database)
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }

    /// Prepares the first statement of a text, as `sqlite3_prepare_v3` does. Returns SQLite's code.
    static func prepare(
        _ sql: UnsafePointer<CChar>, length: Int32 = -1, on database: OpaquePointer, flags: UInt32,
        _ functions: FunctionLibrary?, _ statement: inout OpaquePointer?,
        _ tail: UnsafeMutablePointer<UnsafePointer<CChar>?>? = nil
    ) -> Int32 {
        let code = sqlite3_prepare_v3(database, sql, length, flags, &statement, tail)
        guard code == SQLITE_ERROR, let functions, functions.areMissing(sqlite3_errmsg(database)) else { return code }
        let registered = functions.register(database)
        return registered != SQLITE_OK
            ? registered : sqlite3_prepare_v3(database, sql, length, flags, &statement, tail)
    }

    /// Whether a message of SQLite names an unknown function of the library, in a statement or in an index.
    private func areMissing(_ message: UnsafePointer<CChar>?) -> Bool {
        ["no such function: ", "unknown function: "].contains { beginning in
            let beginning = beginning + prefix
            return sqlite3_strnicmp(message, beginning, Int32(beginning.utf8.count)) == 0
        }
    }

    /// Whether a statement may visit triggers, views and indexes while it runs, as `ALTER` and `VACUUM` do, when it is
    /// too late to register functions.
    static func mayNeedLater(_ sql: String) -> Bool {
        var bytes = sql.utf8.makeIterator()
        var first = bytes.next()
        while let byte = first, byte <= UInt8(ascii: " ") { first = bytes.next() }
        guard let first, let second = bytes.next() else { return false }
        switch (Unicode.Scalar(first | 0x20), Unicode.Scalar(second | 0x20)) {
        case ("c", "o"), ("r", "o"), ("b", _), ("e", _), ("s", _), ("i", _), ("u", _), ("d", _), ("p", _), ("w", _):
            return false
        default: return true
        }
    }
}
