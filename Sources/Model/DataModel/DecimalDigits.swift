/// The digits of a decimal number, which are the same for all spellings of the number.
struct DecimalDigits: Equatable {
    private var digits: [UInt8] = []
    /// The power of ten that the last digit counts.
    private var exponent = 0
    private var isNegative = false

    /// Reads a number, such as `-12.50` or `1e-3`.
    init(_ text: String) {
        var isFraction = false
        var bytes = text.utf8[...]
        if let sign = bytes.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isNegative = sign == UInt8(ascii: "-")
            bytes.removeFirst()
        }
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits.append(byte)
                if isFraction { exponent -= 1 }
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                // No decimal number has an exponent as great as those that are not read here.
                exponent += Int(Int16(Substring(bytes)) ?? 0)
                bytes = bytes[bytes.endIndex...]
            default: break
            }
        }
        digits.trimPrefix(while: { $0 == UInt8(ascii: "0") })
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { (exponent, isNegative) = (0, false) }
    }
}
