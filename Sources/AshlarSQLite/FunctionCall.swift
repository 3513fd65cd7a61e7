/// A call of a function by a statement that runs: its arguments, and where its result goes.
@frozen @usableFromInline
package struct FunctionCall {
    @usableFromInline let context: OpaquePointer
    @usableFromInline let arguments: UnsafeMutablePointer<OpaquePointer?>
    @usableFromInline let argumentCount: Int32

    /// What SQLite calls a function by.
    package typealias Entry = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    /// Takes what SQLite gives an ``Entry``; nil for nothing, as SQLite never does.
    @inlinable
    package init?(_ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
        guard let context, let arguments else { return nil }
        self.context = context
        self.arguments = arguments
        argumentCount = count
    }

    /// What the function was added with.
    @inlinable package var owner: UnsafeMutableRawPointer? { sqlite3_user_data(context) }

    /// An argument as an integer; 0 for NULL.
    @inlinable package func integer(_ position: Int) -> Int64 { sqlite3_value_int64(arguments[position]) }

    /// Whether an argument is NULL.
    @inlinable package func isNull(_ position: Int) -> Bool { sqlite3_value_type(arguments[position]) == SQLITE_NULL }

    /// All arguments; text that is no UTF-8 is repaired, as it is when it is fetched.
    package var values: [SQLiteValue] { (0..<Int(argumentCount)).map { SQLiteValue(argument: arguments[$0]) } }

    /// Makes an integer the result.
    @inlinable package func give(_ number: Int64) { sqlite3_result_int64(context, number) }

    /// Makes a value the result.
    package func give(_ value: SQLiteValue) { value.giveResult(to: context) }

    /// Ends the statement with an error.
    package func fail(_ message: String) {
        var text = message
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_result_error(context, $0.baseAddress, Int32(clamping: $0.count))
            }
        }
    }
}

extension Connection {
    /// Makes a function known that only statements of the program's own may call, and that may give another value each
    /// time.
    ///
    /// - Parameter owner: What the function finds at ``FunctionCall/owner``; it must outlive the connection's statements.
    package func addDirectFunction(
        _ name: String, argumentCount: Int32, owner: UnsafeMutableRawPointer, _ entry: @escaping FunctionCall.Entry
    ) throws(SQLiteError) {
        let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY
        try check(sqlite3_create_function_v2(database, name, argumentCount, flags, owner, entry, nil, nil, nil))
    }
}
