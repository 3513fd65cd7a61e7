/// A call of an SQL function by a running statement: its arguments and the place of its result.
@frozen @usableFromInline
package struct FunctionCall {
    @usableFromInline let context: OpaquePointer
    @usableFromInline let arguments: UnsafeMutablePointer<OpaquePointer?>
    @usableFromInline let argumentCount: Int32

    /// The function in SQLite's calling convention.
    package typealias Entry = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    /// Wraps the arguments of an ``Entry``; nil if a pointer is nil, which SQLite never passes.
    @inlinable
    package init?(_ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
        guard let context, let arguments else { return nil }
        self.context = context
        self.arguments = arguments
        argumentCount = count
    }

    /// The owner that was given with the function.
    @inlinable package var owner: UnsafeMutableRawPointer? { sqlite3_user_data(context) }

    /// An argument as an integer; 0 for NULL.
    @inlinable package func integer(_ position: Int) -> Int64 { sqlite3_value_int64(arguments[position]) }

    /// Returns whether an argument is NULL.
    @inlinable package func isNull(_ position: Int) -> Bool { sqlite3_value_type(arguments[position]) == SQLITE_NULL }

    /// All arguments. Text that is not UTF-8 is repaired, as in a fetch.
    package var values: [SQLiteValue] { (0..<Int(argumentCount)).map { SQLiteValue(argument: arguments[$0]) } }

    /// Returns an integer.
    @inlinable package func give(_ number: Int64) { sqlite3_result_int64(context, number) }

    /// Returns a value.
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
    /// Registers a function that only the program's own statements may call, and whose result may change.
    ///
    /// - Parameter owner: The value of ``FunctionCall/owner``. It must outlive the connection's statements.
    package func addDirectFunction(
        _ name: String, argumentCount: Int32, owner: UnsafeMutableRawPointer, _ entry: @escaping FunctionCall.Entry
    ) throws(SQLiteError) {
        let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY
        try check(sqlite3_create_function_v2(database, name, argumentCount, flags, owner, entry, nil, nil, nil))
    }
}
