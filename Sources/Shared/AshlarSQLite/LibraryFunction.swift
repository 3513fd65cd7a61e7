/// A function of a ``FunctionLibrary``. It has no side effects, and returns equal results for equal arguments.
package final class LibraryFunction: Sendable {
    /// Computes the result from the arguments, or from the values of all rows. A failure has a text with the reason.
    package typealias Body = @Sendable ([SQLiteValue]) -> Result

    package enum Result {
        case value(SQLiteValue)
        case failure(String)
    }

    /// The answer for two texts and a number, which are not copied; nil if the body has to give it.
    package typealias TextComparison =
        @Sendable (
            _ text: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>, _ options: Int64
        ) -> Bool?

    private let name: String
    private let isAggregate: Bool
    private let comparison: TextComparison?
    private let body: Body

    /// Makes a function of any number of arguments.
    package init(_ name: String, comparison: TextComparison? = nil, _ body: @escaping Body) {
        self.name = name
        isAggregate = false
        self.comparison = comparison
        self.body = body
    }

    /// Makes an aggregate of one argument over all rows of a group, without NULL.
    package init(aggregate name: String, _ body: @escaping @Sendable ([SQLiteValue]) -> SQLiteValue) {
        self.name = name
        isAggregate = true
        comparison = nil
        self.body = { .value(body($0)) }
    }

    /// Registers the function with a connection, which must not outlive it. Returns SQLite's code.
    func register(on database: OpaquePointer) -> Int32 {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        let this = Unmanaged.passUnretained(self).toOpaque()
        if isAggregate {
            return sqlite3_create_function_v2(
                database, name, 1, flags, this, nil,
                { context, _, arguments in LibraryFunction.step(context, arguments) },
                { context in LibraryFunction.finish(context) }, nil)
        }
        return sqlite3_create_function_v2(
            database, name, -1, flags, this,
            { context, count, arguments in
                guard let context, !LibraryFunction.compare(context, count, arguments) else { return }
                let values = (0..<Int(count)).map { SQLiteValue(argument: arguments?[$0]) }
                LibraryFunction.give(values, context)
            }, nil, nil, nil)
    }

    /// Returns the result of comparing two texts without copying them to SQLite; false if there is none.
    private static func compare(
        _ context: OpaquePointer, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
    ) -> Bool {
        guard count > 1, let arguments, let function = sqlite3_user_data(context),
            let comparison = Unmanaged<LibraryFunction>.fromOpaque(function).takeUnretainedValue().comparison,
            let text = bytes(arguments[0]), let other = bytes(arguments[1]),
            let answer = comparison(text, other, count > 2 ? sqlite3_value_int64(arguments[2]) : 0)
        else { return false }
        sqlite3_result_int(context, answer ? 1 : 0)
        return true
    }

    private static func bytes(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
        guard sqlite3_value_type(value) == SQLITE_TEXT, let text = sqlite3_value_text(value) else { return nil }
        return UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
    }

    private static func give(_ values: [SQLiteValue], _ context: OpaquePointer) {
        guard let function = sqlite3_user_data(context) else { return }
        switch Unmanaged<LibraryFunction>.fromOpaque(function).takeUnretainedValue().body(values) {
        case .value(let value): value.giveResult(to: context)
        case .failure(var text):
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_result_error(context, $0.baseAddress, Int32(clamping: $0.count))
                }
            }
        }
    }

    // MARK: Aggregates

    /// The collected values of an aggregate.
    private final class Values {
        var values: [SQLiteValue] = []
    }

    private static func step(_ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
        let value = SQLiteValue(argument: arguments?[0])
        if value.isNull { return }
        guard
            let slot = sqlite3_aggregate_context(context, Int32(MemoryLayout<UnsafeRawPointer?>.size))?
                .assumingMemoryBound(to: UnsafeRawPointer?.self)
        else { return sqlite3_result_error_nomem(context) }
        if let known = slot.pointee {
            Unmanaged<Values>.fromOpaque(known).takeUnretainedValue().values.append(value)
        } else {
            let values = Values()
            values.values.append(value)
            slot.pointee = UnsafeRawPointer(Unmanaged.passRetained(values).toOpaque())
        }
    }

    private static func finish(_ context: OpaquePointer?) {
        guard let context else { return }
        let slot = sqlite3_aggregate_context(context, 0)?.assumingMemoryBound(to: UnsafeRawPointer?.self)
        give(slot?.pointee.map { Unmanaged<Values>.fromOpaque($0).takeRetainedValue().values } ?? [], context)
    }
}
