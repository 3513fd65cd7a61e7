extension Connection {
    /// Makes a function known that statements of the program's own may call, none of a file's: what it is given is computed by
    /// a closure, whose error ends the statement.
    ///
    /// - Parameter isDeterministic: Whether it gives the same for the same each time, so that SQLite may ask once.
    package func addFunction(
        _ name: String, argumentCount: Int32, isDeterministic: Bool = true,
        _ body: @escaping ([SQLiteValue]) throws -> SQLiteValue
    ) throws(SQLiteError) {
        let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY | (isDeterministic ? SQLITE_DETERMINISTIC : 0)
        let box = Unmanaged.passRetained(FunctionBody(body))
        // SQLite lets go of the closure, too where it does not take the function.
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

/// What a function of a connection computes.
private final class FunctionBody {
    let run: ([SQLiteValue]) throws -> SQLiteValue

    init(_ run: @escaping ([SQLiteValue]) throws -> SQLiteValue) { self.run = run }
}
