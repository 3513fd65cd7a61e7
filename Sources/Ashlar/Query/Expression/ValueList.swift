import AshlarSQLite
import Foundation

/// Many values as one parameter, because the number of parameters is limited.
enum ValueList {
    /// From how many values on a list is bound as one.
    static let minimumCount = 500

    /// Writes a subquery that gives the values.
    static func write(_ values: [SQLiteValue], to writer: inout some SQLWriter) {
        let isPlain = values.allSatisfy { $0.isPlain }
        writer.write("SELECT ")
        if isPlain {
            writer.write("\"value\"")
        } else {
            ScalarFunction.listed.writeName(to: &writer)
            writer.write("(\"value\")")
        }
        writer.write(" FROM json_each(")
        writer.bind(writer.keepsValues ? list(values, isPlain: isPlain) : .null)
        writer.write(")")
    }

    /// The values as the text of a JSON array.
    private static func list(_ values: [SQLiteValue], isPlain: Bool) -> SQLiteValue {
        let items = values.map { isPlain ? plainItem($0) : "\"\(item($0))\"" }
        return .text("[" + items.joined(separator: ",") + "]")
    }

    /// A value as JSON, which keeps it as it is.
    private static func plainItem(_ value: SQLiteValue) -> String {
        switch value {
        case .integer(let number): String(number)
        // There is no text that cannot be JSON.
        case .text(let text): (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
        case .null, .real, .blob: "null"
        }
    }

    /// A value as a letter for its type and hexadecimal digits, which JSON cannot change.
    private static func item(_ value: SQLiteValue) -> String {
        switch value {
        case .null: "n"
        case .integer(let number): "i" + String(UInt64(bitPattern: number), radix: 16)
        case .real(let number): "r" + String(number.bitPattern, radix: 16)
        case .text(let text): "t" + hexadecimal(text.utf8)
        case .blob(let data): "b" + hexadecimal(data)
        }
    }

    /// The value of which an item was made; NULL for any other text.
    static func value(ofItem item: String) -> SQLiteValue {
        let digits = item.dropFirst()
        switch item.first {
        case "i": return UInt64(digits, radix: 16).map { .integer(Int64(bitPattern: $0)) } ?? .null
        case "r": return UInt64(digits, radix: 16).map { .real(Double(bitPattern: $0)) } ?? .null
        case "t": return .text(String(decoding: bytes(digits), as: UTF8.self))
        case "b": return .blob(Data(bytes(digits)))
        default: return .null
        }
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var result: [UInt8] = []
        for byte in bytes {
            result.append(digits[Int(byte >> 4)])
            result.append(digits[Int(byte & 15)])
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func bytes(_ digits: Substring) -> [UInt8] {
        func value(_ digit: UInt8) -> UInt8 { digit < 0x3A ? digit &- 0x30 : digit &- 0x57 }
        let digits = Array(digits.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).map { value(digits[$0]) << 4 | value(digits[$0 + 1]) }
    }
}

extension SQLiteValue {
    /// Whether JSON keeps the value as it is.
    fileprivate var isPlain: Bool {
        switch self {
        case .integer: true
        case .text(let text): !text.utf8.contains(0)
        case .null, .real, .blob: false
        }
    }
}
