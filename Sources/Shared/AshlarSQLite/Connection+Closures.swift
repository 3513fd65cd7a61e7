extension Connection {
    /// Registers a function that the program's own statements may call, but not statements of a file. A closure
    /// computes the result; its error ends the statement.
    ///
    /// - Parameter isDeterministic: Whether equal arguments give equal results, so that SQLite may call the function
    ///   once.
    package func addFunction(
        _ name: String, argumentCount: Int32, isDeterministic: Bool = true,
        _ body: @escaping ([SQLiteValue]) throws -> SQLiteValue
    ) throws(SQLiteError) {
        let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY | (isDeterministic ? SQLITE_DETERMINISTIC : 0)
        let box = Unmanaged.passRetained(FunctionBody(body))
        // SQLite releases the closure, even if it refuses the function.
        try check(
            sqlite3_create_function_v2(
                database, name, argumentCount, flags, box.toOpaque(),
                { context, count, arguments in
                    guard let address = sqlite3_user_data(context) else { return }
                    let body = Unmanaged<FunctionBody>.fromOpaque(address).takeUnretainedValue()
                    let values = (0..<Int(count)).map { SQLiteValue(argument: arguments?[$0]) }
                    do {
                        try body.run(values).giveResult(to: context)
                    } catch {
                        sqlite3_result_error(context, "\(error)", -1)
                    }
                }, nil, nil, { address in address.map { Unmanaged<FunctionBody>.fromOpaque($0).release() } }))
    }
}

/// The closure of a function.
private final class FunctionBody {
    let run: ([SQLiteValue]) throws -> SQLiteValue

    init(_ run: @escaping ([SQLiteValue]) throws -> SQLiteValue) { self.run = run }
}
