/// The differences that a comparison of texts ignores. Without options, texts are compared byte by byte.
///
/// With any option, canonically equal texts are equal, for example a letter with an accent and the letter followed by
/// the accent.
///
///     let posts = Post.where { $0.title.contains("cafe", options: [.caseInsensitive, .diacriticInsensitive]) }
public struct TextOptions: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Ignores the difference between upper and lower case.
    public static let caseInsensitive = TextOptions(rawValue: 1)
    /// Ignores accents.
    public static let diacriticInsensitive = TextOptions(rawValue: 2)
    /// Ignores the difference between full-width and half-width forms.
    public static let widthInsensitive = TextOptions(rawValue: 16)
    /// Ignores case, accents and width, as Foundation's `localizedStandardContains` does.
    public static let localizedStandard: TextOptions = [.caseInsensitive, .diacriticInsensitive, .widthInsensitive]
    /// The text to compare with is already folded.
    static let patternIsFolded = TextOptions(rawValue: 1 << 16)
}
