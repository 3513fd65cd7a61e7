import SQLQuoting

extension Constant {
    /// The number as the plain text that decimal attributes store, `-12.50`; nil for other literals.
    ///
    /// No digit is lost. A larger exponent than any decimal has is replaced by one beyond all decimals, so that a short
    /// text does not become a long one.
    public var plainDecimal: String? {
        switch self {
        case .integer(let number): String(number)
        case .boolean(let flag): flag ? "1" : "0"
        case .decimal(let text): PlainNumber.text(text)
        case .string, .null: nil
        }
    }
}
