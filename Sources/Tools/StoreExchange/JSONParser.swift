/// Reads a JSON text. Foundation's own reader makes all numbers the same kind, and turns `true` into a number.
///
/// It reads from an address, because there may be millions of objects; the bytes must stay in their place as long as it
/// reads.
package struct JSONParser {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var depth = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The value of a text; nil if the text is not valid JSON, or other text follows the value.
    package static func value(of text: [UInt8]) -> ExchangedValue? {
        text.withUnsafeBufferPointer {
            var parser = JSONParser($0)
            return parser.value().flatMap { parser.isAtEnd() ? $0 : nil }
        }
    }

    /// The fields of an object; nil if the text is not an object, or other text follows it.
    ///
    /// - Parameter names: The names of the object before, which are mostly the same; they are replaced if they differ.
    mutating func fields(names: inout [String]) -> [ExchangedValue]? {
        skipSpace()
        guard current == UInt8(ascii: "{") else { return nil }
        depth += 1
        defer { depth -= 1 }
        var values: [ExchangedValue] = []
        values.reserveCapacity(names.count)
        position += 1
        skipSpace()
        var isWhole = skip("}")
        while !isWhole {
            skipSpace()
            let index = values.count
            if index >= names.count || !skipKey(names[index]) {
                guard current == UInt8(ascii: "\""), let name = string() else { return nil }
                // So many were the same; from here on they are others.
                names.removeSubrange(index...)
                names.append(name)
            }
            skipSpace()
            guard skip(":"), let value = value() else { return nil }
            values.append(value)
            skipSpace()
            if skip(",") { continue }
            guard skip("}") else { return nil }
            isWhole = true
        }
        if values.count < names.count { names.removeSubrange(values.count...) }
        return isAtEnd() ? values : nil
    }

    private mutating func isAtEnd() -> Bool {
        skipSpace()
        return position == bytes.count
    }

    /// The greatest depth of nested values.
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

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
        position += count
        return true
    }

    /// Skips a string that has this text, written without a backslash.
    private mutating func skipKey(_ text: String) -> Bool {
        var text = text
        let start = position + 1
        guard current == UInt8(ascii: "\"") else { return false }
        let isSame = text.withUTF8 { expected in
            guard bytes.count - start > expected.count, bytes[start + expected.count] == UInt8(ascii: "\"") else {
                return false
            }
            for index in expected.indices {
                // A name with a backslash in it is written differently.
                if bytes[start + index] != expected[index] || expected[index] == UInt8(ascii: "\\") { return false }
            }
            return true
        }
        if isSame { position = start + text.utf8.count + 1 }
        return isSame
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
        let start = position
        // Most strings have no escapes, and are taken unchanged.
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                defer { position += 1 }
                return String(validating: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") { return escapedString(from: start) }
            if byte < 0x20 { return nil }
            position += 1
        }
        return nil
    }

    /// The rest of a string, which began earlier.
    private mutating func escapedString(from start: Int) -> String? {
        var result = Array(bytes[start..<position])
        while let byte = current {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: result, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escaped() else { return nil }
                result += UTF8.encode(scalar).map(Array.init) ?? []
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
        guard bytes.count - position >= 4 else { return nil }
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
        guard let number = Double(text) else { return nil }
        // A floating-point number distinguishes all numbers of up to 15 digits.
        return text.utf8.count > 15 || number.isInfinite ? .number(text, number) : .real(number)
    }
}
