import Foundation

/// Writes values as JSON, byte by byte, as there may be millions.
struct JSONText {
    private(set) var bytes: [UInt8] = []

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func write(_ text: StaticString) {
        text.withUTF8Buffer { bytes += $0 }
    }

    mutating func write(_ value: ExchangedValue) {
        switch value {
        case .null: write("null")
        case .boolean(let value): write(value ? "true" : "false")
        case .integer(let number): bytes += Array("\(number)".utf8)
        // JSON has no other numbers; the text is read back.
        case .real(let number):
            if number.isFinite { bytes += Array("\(number)".utf8) } else { write(string: "\(number)") }
        case .text(let text): write(string: text)
        case .list(let values):
            write("[")
            for (index, value) in values.enumerated() {
                if index > 0 { write(", ") }
                write(value)
            }
            write("]")
        case .object(let values):
            write("{")
            for (index, (key, value)) in values.enumerated() {
                if index > 0 { write(", ") }
                write(string: key)
                write(": ")
                write(value)
            }
            write("}")
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private mutating func write(string text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: write("\\n")
            case 0x0D: write("\\r")
            case 0x09: write("\\t")
            case 0..<0x20, 0x7F:
                write("\\u00")
                bytes += [Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

/// Writes and reads fields between commas, as RFC 4180 has them: a field in quotation marks is a text, also an empty one, and an
/// empty field without is nothing.
enum CSVText {
    static func field(_ value: ExchangedValue) -> String {
        switch value {
        case .null: ""
        case .boolean(let value): value ? "true" : "false"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): quoted(text)
        case .list, .object:
            quoted(json(value))
        }
    }

    private static func json(_ value: ExchangedValue) -> String {
        var json = JSONText()
        json.write(value)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    static func quoted(_ text: String) -> String {
        var bytes = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }
}
