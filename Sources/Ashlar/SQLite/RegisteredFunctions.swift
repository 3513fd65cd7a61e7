import Foundation

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// Makes the functions of ``ScalarFunction`` and the aggregates known to a connection.
///
/// Most connections of a container never run any, and to make them known takes as long as ten statements. So those learn
/// of them with the first statement that cannot be prepared without, or that may need one when it is too late.
enum RegisteredFunctions {
    /// Prepares the first statement of a text, as `sqlite3_prepare_v3` does, and gives SQLite's code.
    static func prepare(
        _ sql: UnsafePointer<CChar>, length: Int32 = -1, on database: OpaquePointer, flags: UInt32,
        _ statement: inout OpaquePointer?, _ tail: UnsafeMutablePointer<UnsafePointer<CChar>?>? = nil
    ) -> Int32 {
        let code = sqlite3_prepare_v3(database, sql, length, flags, &statement, tail)
        guard code == SQLITE_ERROR, isMissing(sqlite3_errmsg(database)) else { return code }
        register(on: database)
        return sqlite3_prepare_v3(database, sql, length, flags, &statement, tail)
    }

    /// Whether a message of SQLite's says that a function of ours is not known, to a statement or to an index.
    private static func isMissing(_ message: UnsafePointer<CChar>?) -> Bool {
        ["no such function: ", "unknown function: "].contains { beginning in
            let beginning = beginning + ScalarFunction.prefix
            return sqlite3_strnicmp(message, beginning, Int32(beginning.utf8.count)) == 0
        }
    }

    /// Whether a statement may go over triggers, views and indexes while it runs, as `ALTER` and `VACUUM` do, and is no
    /// more to be prepared then.
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

    static func register(on database: OpaquePointer) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        for (index, function) in ScalarFunction.allCases.enumerated() {
            sqlite3_create_function_v2(
                database, function.sqlName, -1, flags, UnsafeMutableRawPointer(bitPattern: index + 1),
                { context, count, arguments in RegisteredFunctions.call(context, count, arguments) }, nil, nil, nil)
        }
        for aggregate in [SQLExpression.Aggregate.sum, .average] {
            for isDecimal in [false, true] {
                let number = (aggregate == .sum ? 1 : 2) + (isDecimal ? 2 : 0)
                sqlite3_create_function_v2(
                    database, aggregate.sqlName(isDecimal: isDecimal), 1, flags,
                    UnsafeMutableRawPointer(bitPattern: number), nil,
                    { context, count, arguments in RegisteredFunctions.step(context, arguments) },
                    { context in RegisteredFunctions.finish(context) }, nil)
            }
        }
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
