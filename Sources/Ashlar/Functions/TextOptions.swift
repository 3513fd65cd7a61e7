/// What a comparison of texts overlooks. Without options, texts are compared byte by byte.
///
/// With any of them, canonically equal texts are equal: it does not matter whether an accent is a character of its own.
public struct TextOptions: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    /// Makes options of their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Upper and lower case are the same.
    public static let caseInsensitive = TextOptions(rawValue: 1)
    /// Letters with and without accents are the same.
    public static let diacriticInsensitive = TextOptions(rawValue: 2)
    /// Full-width and half-width forms are the same.
    public static let widthInsensitive = TextOptions(rawValue: 16)
    /// What Foundation's `localizedStandardContains` overlooks: case, accents and width.
    public static let localizedStandard: TextOptions = [.caseInsensitive, .diacriticInsensitive, .widthInsensitive]
    /// The text that a text is compared with was folded before.
    static let patternIsFolded = TextOptions(rawValue: 1 << 16)
}
