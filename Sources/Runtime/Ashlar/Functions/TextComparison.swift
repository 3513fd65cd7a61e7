/// The comparisons of two texts; false if either is NULL.
@_spi(Generated) public enum TextComparison: String, Sendable, Hashable, CaseIterable {
    case hasPrefix, hasSuffix, contains
    /// A pattern in which `*` matches any text, `?` matches one character, and a backslash makes the next character
    /// literal.
    case like
    /// A regular expression that the whole text must match.
    case matches
}
