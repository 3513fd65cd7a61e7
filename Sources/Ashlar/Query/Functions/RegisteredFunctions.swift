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

extension SQLiteValue {
    /// Makes the value the result of a function.
    func giveResult(to context: OpaquePointer?) {
        switch self {
        case .null: sqlite3_result_null(context)
        case .integer(let number): sqlite3_result_int64(context, number)
        case .real(let number): sqlite3_result_double(context, number)
        case .text(let text):
            // With a byte more than it has, so that an empty text has an address too.
            text.withCString {
                sqlite3_result_text64(context, $0, UInt64(text.utf8.count), Self.transient, UInt8(SQLITE_UTF8))
            }
        case .blob(let data):
            data.withUnsafeBytes { bytes in
                if bytes.isEmpty {
                    sqlite3_result_zeroblob(context, 0)
                } else {
                    sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), Self.transient)
                }
            }
        }
    }

    /// Tells SQLite to copy what it is given.
    private static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    /// The value of a function's argument; text that is no UTF-8 is repaired, as it is when it is fetched.
    fileprivate init(argument: OpaquePointer?) {
        guard let argument else {
            self = .null
            return
        }
        switch sqlite3_value_type(argument) {
        case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(argument))
        case SQLITE_FLOAT: self = .real(sqlite3_value_double(argument))
        case SQLITE_TEXT:
            let text = sqlite3_value_text(argument)
            let count = Int(sqlite3_value_bytes(argument))
            self = .text(
                String(decoding: UnsafeBufferPointer(start: text, count: text == nil ? 0 : count), as: UTF8.self))
        case SQLITE_BLOB:
            let blob = sqlite3_value_blob(argument)
            let count = Int(sqlite3_value_bytes(argument))
            self = .blob(Data(UnsafeRawBufferPointer(start: blob, count: blob == nil ? 0 : count)))
        default: self = .null
        }
    }
}
