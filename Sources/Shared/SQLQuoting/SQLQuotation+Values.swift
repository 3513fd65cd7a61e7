/// Literals of values, byte by byte, for callers that write millions.
extension SQLQuotation {
    private static let hexadecimal = Array("0123456789abcdef".utf8)

    /// Appends a literal that SQLite reads back byte for byte: in single quotes, or as a conversion of its bytes if the
    /// text has a NUL or is not UTF-8.
    package static func append(literalOf text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        var (start, high, hasEnd) = (0, UInt8(0), false)
        let length = bytes.count
        bytes.append(apostrophe)
        for position in text.indices {
            let byte = text[position]
            high |= byte
            if byte == 0 { hasEnd = true }
            guard byte == apostrophe else { continue }
            // With the apostrophe, which then comes again.
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...position]))
            start = position
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        bytes.append(apostrophe)
        if hasEnd || high >= 0x80 && String(validating: text, as: UTF8.self) == nil {
            bytes.removeLast(bytes.count - length)
            bytes += "CAST(".utf8
            append(literalOf: UnsafeRawBufferPointer(text), to: &bytes)
            bytes += " AS TEXT)".utf8
        }
    }

    /// Appends a literal of a blob.
    package static func append(literalOf blob: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        bytes.reserveCapacity(bytes.count + 2 * blob.count + 3)
        bytes += "x'".utf8
        hexadecimal.withUnsafeBufferPointer { digits in
            for byte in blob {
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            }
        }
        bytes.append(apostrophe)
    }

    /// Appends a literal of a number, or an expression for it: SQLite sometimes reads a number as the one beside it if
    /// a power of ten must be rounded. It reads whole numbers, powers of two and sums of few of them exactly.
    package static func append(literalOf number: Double, to bytes: inout [UInt8]) {
        if !number.isFinite {
            // No column has NaN: SQLite stores NULL for it.
            bytes += (number.isNaN ? "NULL" : number < 0 ? "-9e999" : "9e999").utf8
        } else if abs(number) < 1e15, Double(Int64(number)) == number {
            bytes += (number == 0 && number.sign == .minus ? "-0.0" : "\(Int64(number)).0").utf8
        } else {
            let text = "\(number)"
            bytes += (isExact(text, number) ? text : fraction(number)).utf8
        }
    }

    /// Returns whether a text with few digits is exactly a number, so that reading it does not round: a number with so
    /// many bits behind the point has as many digits there.
    private static func isExact(_ text: String, _ number: Double) -> Bool {
        guard let point = text.utf8.firstIndex(of: UInt8(ascii: ".")), !text.utf8.contains(UInt8(ascii: "e")) else {
            return false
        }
        let digits = text.utf8.distance(from: text.utf8.index(after: point), to: text.utf8.endIndex)
        let bits = 52 - Int(number.exponent) - number.significandBitPattern.trailingZeroBitCount
        return text.utf8.count <= 16 && (number.significandBitPattern == 0 ? -Int(number.exponent) : bits) <= digits
    }

    /// A number as a whole one, times or by powers of two.
    private static func fraction(_ number: Double) -> String {
        var significand = Int64(number.significand * 0x1p52)
        let zeros = significand.trailingZeroBitCount
        significand >>= zeros
        var exponent = Int(number.exponent) - 52 + zeros
        var text = "(\(number.sign == .minus ? "-" : "")\(significand)\(exponent == 0 ? ".0" : "")"
        while exponent != 0 {
            let step = min(abs(exponent), 62)
            text += "\(exponent < 0 ? "/" : "*")\(Int64(1) << step).0"
            exponent += exponent < 0 ? step : -step
        }
        return text + ")"
    }
}
