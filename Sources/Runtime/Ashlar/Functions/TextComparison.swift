/// The comparisons of text with text; false when either is NULL.
@_spi(Generated) public enum TextComparison: String, Sendable, Hashable, CaseIterable {
    case hasPrefix, hasSuffix, contains
    /// A pattern in which `*` stands for any text, `?` for one character, and a backslash for the next as it is.
    case like
    /// A regular expression that the whole text must match.
    case matches
}
