import SQLQuoting

extension Constant {
    /// The number as the plain text that decimal attributes are kept as, `-12.50`; nil for what is no number.
    ///
    /// No digit is lost. An exponent beyond those of decimals only says on which side of all of them the number lies, so
    /// that a short text makes no long one.
    public var plainDecimal: String? {
        switch self {
        case .integer(let number): String(number)
        case .boolean(let flag): flag ? "1" : "0"
        case .decimal(let text): PlainNumber.text(text)
        case .string, .null: nil
        }
    }
}
