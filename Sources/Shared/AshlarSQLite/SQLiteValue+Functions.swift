import SystemFoundation

/// Values as arguments and results of SQL functions.
extension SQLiteValue {
    /// Returns the value as the result of a function.
    package func giveResult(to context: OpaquePointer?) {
        switch self {
        case .null: sqlite3_result_null(context)
        case .integer(let number): sqlite3_result_int64(context, number)
        case .real(let number): sqlite3_result_double(context, number)
        case .text(let text):
            // One byte longer than the text, so that an empty text also has an address.
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

    /// Makes SQLite copy the bytes.
    private static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    /// The value of a function's argument. Text that is not UTF-8 is repaired, as in a fetch.
    package init(argument: OpaquePointer?) {
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
