/// Literals of values, byte by byte, for who writes millions.
extension SQLQuotation {
    private static let hexadecimal = Array("0123456789abcdef".utf8)

    /// Appends a literal that SQLite reads back byte for byte: in single quotes, or where that cannot be, as a text has a NUL
    /// or is no UTF-8, as a conversion of its bytes.
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

    /// Appends a literal of a number, or what computes it: SQLite reads a number of more than 15 digits as one beside it now
    /// and then, as it goes through powers of ten. Whole numbers and powers of two it takes as they are.
    package static func append(literalOf number: Double, to bytes: inout [UInt8]) {
        if !number.isFinite {
            // No column has what is no number: SQLite makes NULL of it.
            bytes += (number.isNaN ? "NULL" : number < 0 ? "-9e999" : "9e999").utf8
        } else if number == number.rounded(.towardZero), abs(number) < 1e15 {
            bytes += (number == 0 && number.sign == .minus ? "-0.0" : "\(Int64(number)).0").utf8
        } else {
            let text = "\(number)"
            bytes += (isExact(text) ? text : fraction(number)).utf8
        }
    }

    /// Whether digits and a power of ten are both numbers that a `Double` has, so that one rounding comes to the right one.
    private static func isExact(_ text: String) -> Bool {
        var (digits, fractional, isFraction) = (0, 0, false)
        var rest = Substring(text).utf8
        while let byte = rest.first, byte != UInt8(ascii: "e") {
            rest.removeFirst()
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if digits > 0 || byte != UInt8(ascii: "0") { digits += 1 }
                if isFraction { fractional += 1 }
            default: break
            }
        }
        let exponent = Int(Substring(rest.dropFirst())) ?? 0
        return digits <= 15 && abs(exponent - fractional) <= 22
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
