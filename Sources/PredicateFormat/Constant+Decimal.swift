extension Constant {
    /// The number as the plain text that decimal attributes are kept as, `-12.50`; nil for what is no number.
    ///
    /// No digit is lost. An exponent beyond those of decimals only says on which side of all of them the number lies, so
    /// that a short text makes no long one.
    public var plainDecimal: String? {
        switch self {
        case .integer(let number): String(number)
        case .boolean(let flag): flag ? "1" : "0"
        case .decimal(let text): Self.plain(text)
        case .string, .null: nil
        }
    }

    /// More zeros than any decimal number has on either side of its point.
    private static let greatestExponent = 400

    private static func plain(_ text: String) -> String {
        let halves = text.split(whereSeparator: { $0 == "e" || $0 == "E" })
        guard halves.count == 2 else { return text }
        let isSmall = halves[1].hasPrefix("-")
        // What has more digits than Int is beyond all bounds.
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
}
