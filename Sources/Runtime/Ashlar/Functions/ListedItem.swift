import AshlarSQLite
import SystemFoundation

/// Values as texts in a JSON array, for lists that are bound as one parameter.
enum ListedItem {
    /// Returns a value as a letter for its type and hexadecimal digits, which JSON leaves unchanged.
    static func text(of value: SQLiteValue) -> String {
        switch value {
        case .null: "n"
        case .integer(let number): "i" + String(UInt64(bitPattern: number), radix: 16)
        case .real(let number): "r" + String(number.bitPattern, radix: 16)
        case .text(let text): "t" + hexadecimal(text.utf8)
        case .blob(let data): "b" + hexadecimal(data)
        }
    }

    /// Returns the value of an item; NULL for any other text.
    static func value(of item: String) -> SQLiteValue {
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
