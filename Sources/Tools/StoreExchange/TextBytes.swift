import AshlarSQLite
import Foundation
import SQLQuoting

/// A text to which values are added in one of several languages. It works byte by byte, because there may be millions
/// of values, and is the only place where values become text.
struct TextBytes {
    private(set) var bytes: [UInt8] = []

    /// Whether a text was written that is not valid UTF-8.
    private(set) var hasInvalidText = false

    var count: Int { bytes.count }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        hasInvalidText = false
    }

    mutating func removeLast(_ count: Int) { bytes.removeLast(count) }

    // MARK: As it is

    mutating func write(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }

    /// Writes text that is already in the language.
    mutating func write(verbatim text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    mutating func write(verbatim text: [UInt8]) { bytes.append(contentsOf: text) }

    mutating func write(_ number: Int64) {
        // 20 digits and a sign are the most.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var (rest, position) = (number.magnitude, 20)
            repeat {
                position -= 1
                digits[position] = 0x30 + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 {
                position -= 1
                digits[position] = UInt8(ascii: "-")
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[position...]))
        }
    }

    mutating func write(_ number: Double) { write(verbatim: "\(number)") }

    /// Writes a number with zeros before it.
    mutating func write(_ number: Int, digits: Int) {
        var unit = 1
        for _ in 1..<digits { unit *= 10 }
        while unit > 0 {
            bytes.append(0x30 + UInt8(number / unit % 10))
            unit /= 10
        }
    }

    mutating func writeBase64(_ value: UnsafeRawBufferPointer) {
        guard let start = value.baseAddress, !value.isEmpty else { return }
        let data = Data(bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: value.count, deallocator: .none)
        data.base64EncodedData().withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    private static let lowercase = Array("0123456789abcdef".utf8)
    private static let uppercase = Array("0123456789ABCDEF".utf8)

    /// Writes 16 bytes as UUIDs are written.
    mutating func writeUUID(_ value: UnsafeRawBufferPointer) {
        for (index, byte) in value.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 { bytes.append(UInt8(ascii: "-")) }
            bytes.append(Self.uppercase[Int(byte >> 4)])
            bytes.append(Self.uppercase[Int(byte & 15)])
        }
    }

    // MARK: In quotation marks

    mutating func write(json text: String) {
        var text = text
        text.withUTF8 { write(json: $0) }
    }

    /// Writes a string of JSON's.
    mutating func write(json text: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        writeParts(of: text) {
            $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 == 0x7F
        } special: {
            switch $1 {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                $0.append(UInt8(ascii: "\\"))
                $0.append($1)
            case 0x0A: $0 += "\\n".utf8
            case 0x0D: $0 += "\\r".utf8
            case 0x09: $0 += "\\t".utf8
            default:
                $0 += "\\u00".utf8
                $0.append(Self.lowercase[Int($1 >> 4)])
                $0.append(Self.lowercase[Int($1 & 15)])
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func write(csv text: String) {
        var text = text
        text.withUTF8 { write(csv: $0) }
    }

    /// Writes a field of CSV in quotation marks, according to RFC 4180. A field in quotation marks is a text, even if
    /// it is empty; an empty field without them has no value.
    mutating func write(csv text: UnsafeBufferPointer<UInt8>) {
        let mark = UInt8(ascii: "\"")
        bytes.append(mark)
        writeParts(of: text) {
            $0 == mark
        } special: {
            $0.append($1)
            $0.append($1)
        }
        bytes.append(mark)
    }

    /// Writes a text, with the parts between special bytes unchanged.
    @inline(__always)
    private mutating func writeParts(
        of text: UnsafeBufferPointer<UInt8>, isSpecial: (UInt8) -> Bool,
        special: (_ bytes: inout [UInt8], _ byte: UInt8) -> Void
    ) {
        var (start, high) = (0, UInt8(0))
        for position in text.indices {
            let byte = text[position]
            high |= byte
            guard isSpecial(byte) else { continue }
            if position > start { bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<position])) }
            special(&bytes, byte)
            start = position + 1
        }
        if start < text.count { bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...])) }
        // Text with ASCII letters only is UTF-8.
        if high >= 0x80, String(validating: text, as: UTF8.self) == nil { hasInvalidText = true }
    }

    // MARK: SQL

    /// Writes a literal that SQLite reads back byte for byte.
    mutating func write(sql value: LentValue) {
        switch value {
        case .null: write("NULL")
        case .integer(let number): write(number)
        case .real(let number): SQLQuotation.append(literalOf: number, to: &bytes)
        case .text(let text): SQLQuotation.append(literalOf: text, to: &bytes)
        case .blob(let value): SQLQuotation.append(literalOf: value, to: &bytes)
        }
    }

    // MARK: Values

    /// Writes a value as JSON.
    mutating func write(json value: ExchangedValue) {
        switch value {
        case .null: write("null")
        case .boolean(let value): write(value ? "true" : "false")
        case .integer(let number): write(number)
        case .real(let number): write(json: number)
        case .number(let text, _): write(verbatim: text)
        case .text(let text): write(json: text)
        case .list(let values):
            write("[")
            for (index, value) in values.enumerated() {
                if index > 0 { write(", ") }
                write(json: value)
            }
            write("]")
        case .object(let values):
            write("{")
            for (index, (key, value)) in values.enumerated() {
                if index > 0 { write(", ") }
                write(json: key)
                write(": ")
                write(json: value)
            }
            write("}")
        }
    }

    /// JSON has no numbers for infinity; the text is read back.
    mutating func write(json number: Double) {
        if number.isFinite { write(number) } else { write(json: "\(number)") }
    }

    /// Writes a value as a field of CSV.
    mutating func write(csv value: ExchangedValue) {
        switch value {
        case .null: break
        case .boolean(let value): write(value ? "true" : "false")
        case .integer(let number): write(number)
        case .real(let number): write(number)
        case .number(let text, _): write(verbatim: text)
        case .text(let text): write(csv: text)
        case .list, .object:
            var inner = TextBytes()
            inner.write(json: value)
            inner.bytes.withUnsafeBufferPointer { write(csv: $0) }
        }
    }
}
