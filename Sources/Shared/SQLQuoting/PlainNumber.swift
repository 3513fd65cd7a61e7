/// Numbers without an exponent, as decimal attributes are kept.
package enum PlainNumber {
    /// More zeros than any decimal number has on either side of its point.
    private static let greatestExponent = 400

    /// A number, `-1.25e1`, with its exponent written out, `-12.5`. No digit is lost.
    ///
    /// A larger exponent than any decimal has is replaced by one beyond all decimals, so that a short text does not
    /// become a long one.
    package static func text(_ text: String) -> String {
        let halves = text.split(whereSeparator: { $0 == "e" || $0 == "E" })
        guard halves.count == 2 else { return text }
        let isSmall = halves[1].hasPrefix("-")
        // An exponent with more digits than Int is beyond all limits.
        let written = Int(halves[1]) ?? (isSmall ? .min : .max)
        let exponent = min(max(written, -greatestExponent), greatestExponent)
        let isNegative = halves[0].hasPrefix("-")
        let parts = halves[0].drop { $0 == "-" || $0 == "+" }.split(separator: ".", omittingEmptySubsequences: false)
        let digits = parts.joined()
        let point = parts[0].count + exponent
        let plain: String
        if point <= 0 {
            plain = "0." + String(repeating: "0", count: -point) + digits
        } else if point >= digits.count {
            plain = digits + String(repeating: "0", count: point - digits.count)
        } else {
            plain = digits.prefix(point) + "." + digits.dropFirst(point)
        }
        return (isNegative ? "-" : "") + plain
    }

    /// The shortest digits of a floating-point number, however many zeros that takes; an infinite one is beyond all
    /// others.
    package static func text(_ number: Double) -> String {
        if number.isInfinite { return (number < 0 ? "-1" : "1") + String(repeating: "0", count: greatestExponent) }
        // Swift writes 1e20 as 1e+20, and 1.5e-7 as such.
        return text(number.description)
    }
}
