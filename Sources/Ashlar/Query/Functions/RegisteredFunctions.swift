import AshlarSQLite
import Foundation

/// Makes the functions of ``ScalarFunction`` and the aggregates known to a connection.
enum RegisteredFunctions {
    static let library = FunctionLibrary(prefix: ScalarFunction.prefix, register: register)

    /// Tells a connection of all functions; SQLite's code of the first that it refuses.
    static func register(on database: OpaquePointer) -> Int32 {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        for (index, function) in ScalarFunction.allCases.enumerated() {
            let code = sqlite3_create_function_v2(
                database, function.sqlName, -1, flags, UnsafeMutableRawPointer(bitPattern: index + 1),
                { context, count, arguments in RegisteredFunctions.call(context, count, arguments) }, nil, nil, nil)
            if code != SQLITE_OK { return code }
        }
        for aggregate in [SQLExpression.Aggregate.sum, .average] {
            for isDecimal in [false, true] {
                let number = (aggregate == .sum ? 1 : 2) + (isDecimal ? 2 : 0)
                let code = sqlite3_create_function_v2(
                    database, aggregate.sqlName(isDecimal: isDecimal), 1, flags,
                    UnsafeMutableRawPointer(bitPattern: number), nil,
                    { context, count, arguments in RegisteredFunctions.step(context, arguments) },
                    { context in RegisteredFunctions.finish(context) }, nil)
                if code != SQLITE_OK { return code }
            }
        }
        return SQLITE_OK
    }

    private typealias Arguments = UnsafeMutablePointer<OpaquePointer?>?

    private static func call(_ context: OpaquePointer?, _ count: Int32, _ arguments: Arguments) {
        let function = ScalarFunction.allCases[Int(bitPattern: sqlite3_user_data(context)) - 1]
        do {
            let values = (0..<Int(count)).map { SQLiteValue(argument: arguments?[$0]) }
            try function.value(values).giveResult(to: context)
        } catch {
            var text = error.description
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_result_error(context, $0.baseAddress, Int32(clamping: $0.count))
                }
            }
        }
    }

    // MARK: Aggregates

    /// The values that an aggregate was given.
    private final class Values {
        var values: [SQLiteValue] = []
    }

    private static func step(_ context: OpaquePointer?, _ arguments: Arguments) {
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
        let slot = sqlite3_aggregate_context(context, 0)?.assumingMemoryBound(to: UnsafeRawPointer?.self)
        let values = slot?.pointee.map { Unmanaged<Values>.fromOpaque($0).takeRetainedValue().values } ?? []
        let number = Int(bitPattern: sqlite3_user_data(context))
        let isDecimal = number > 2
        let result =
            number % 2 == 1
            ? NumberFunction.sum(values, isDecimal: isDecimal) : NumberFunction.average(values, isDecimal: isDecimal)
        result.giveResult(to: context)
    }
}
