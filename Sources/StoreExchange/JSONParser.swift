/// Reads a JSON text. Foundation's own reader makes one kind of number of all, and `true` a number.
package struct JSONParser {
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private var depth = 0

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// The value; nil for what is no JSON, or has something behind it.
    package mutating func parse() -> ExchangedValue? {
        guard let value = value() else { return nil }
        skipSpace()
        return position == bytes.endIndex ? value : nil
    }

    /// How deep values may be within each other.
    private static let maximumDepth = 100

    private mutating func value() -> ExchangedValue? {
        skipSpace()
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.maximumDepth, let byte = current else { return nil }
        switch byte {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return list()
        case UInt8(ascii: "\""): return string().map { .text($0) }
        case UInt8(ascii: "t"): return skip("true") ? .boolean(true) : nil
        case UInt8(ascii: "f"): return skip("false") ? .boolean(false) : nil
        case UInt8(ascii: "n"): return skip("null") ? .null : nil
        default: return number()
        }
    }

    private var current: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func skip(_ text: String) -> Bool {
        guard bytes[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    private mutating func object() -> ExchangedValue? {
        position += 1
        var result: [(String, ExchangedValue)] = []
        skipSpace()
        if skip("}") { return .object([]) }
        while true {
            skipSpace()
            guard current == UInt8(ascii: "\""), let key = string() else { return nil }
            skipSpace()
            guard skip(":"), let value = value() else { return nil }
            result.append((key, value))
            skipSpace()
            if skip(",") { continue }
            return skip("}") ? .object(result) : nil
        }
    }

    private mutating func list() -> ExchangedValue? {
        position += 1
        var result: [ExchangedValue] = []
        skipSpace()
        if skip("]") { return .list([]) }
        while true {
            guard let value = value() else { return nil }
            result.append(value)
            skipSpace()
            if skip(",") { continue }
            return skip("]") ? .list(result) : nil
        }
    }

    private mutating func string() -> String? {
        position += 1
        var result: [UInt8] = []
        while let byte = current {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: result, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escaped() else { return nil }
                result += Array(String(Character(scalar)).utf8)
            case 0..<0x20: return nil
            default: result.append(byte)
            }
        }
        return nil
    }

    private mutating func escaped() -> Unicode.Scalar? {
        guard let byte = current else { return nil }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "u"):
            guard let first = unit() else { return nil }
            if !(0xD800..<0xDC00).contains(first) { return Unicode.Scalar(first) }
            guard skip("\\u"), let second = unit(), (0xDC00..<0xE000).contains(second) else { return nil }
            return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        default: return nil
        }
    }

    private mutating func unit() -> UInt32? {
        guard bytes.endIndex - position >= 4 else { return nil }
        let digits = bytes[position..<position + 4]
        position += 4
        return digits.contains(UInt8(ascii: "+")) ? nil : UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private mutating func number() -> ExchangedValue? {
        let start = position
        while let byte = current, (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte) {
            position += 1
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let first = text.utf8.first, first != 0x2B, first != 0x2E else { return nil }
        if let integer = Int64(text) { return .integer(integer) }
        return Double(text).map { .real($0) }
    }
}
