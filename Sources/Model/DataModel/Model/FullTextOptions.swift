/// The options of a full-text index: how it splits texts into words, and how it ranks hits.
public struct FullTextOptions: Sendable, Hashable {
    /// The tokenizer of texts.
    public enum Tokenizer: String, Sendable, Hashable, CaseIterable {
        /// Words of letters and digits, without regard to case, and to diacritical marks of Latin letters.
        case unicode61
        /// The same, with the endings of English words left out.
        case porter
        /// All runs of three characters, without regard to case, so that parts of words are found.
        case trigram
    }

    public var tokenizer: Tokenizer
    /// The lengths, in characters, of the prefixes of words that have an index of their own.
    public var prefixLengths: [Int]
    /// The weight of a hit in each column for the rank; empty if all columns count the same.
    public var weights: [Double]

    /// Makes options; omitted ones have FTS5's defaults.
    public init(tokenizer: Tokenizer = .unicode61, prefixLengths: [Int] = [], weights: [Double] = []) {
        self.tokenizer = tokenizer
        self.prefixLengths = prefixLengths
        self.weights = weights
    }
}

extension FetchIndex {
    /// The name of the full-text index of attributes that declare it themselves.
    public static let fullTextName = "fullText"
}
