import SQLQuoting

/// A query for a full-text index.
///
/// Create one from user input. Any text is a valid query; one without terms matches nothing.
///
///     let query: FullTextQuery = "great wall"        // both words, anywhere
///     let typing = FullTextQuery.prefix(typed)       // while somebody types
///     let phrase = FullTextQuery.phrase("great wall").excluding("china")
///
/// Terms are words: letters, digits and their marks. White space, punctuation and symbols only separate them. For an
/// index with the tokenizer `trigram`, only white space separates terms, because such an index finds punctuation too.
public struct FullTextQuery: Sendable, Hashable, Codable {
    /// The query in the language of SQLite's FTS5, for an index of words.
    public let expression: String
    /// The query for an index of trigrams; nil if it is the same.
    private let trigramExpression: String?
    /// The depth of nested exclusions; nil for none.
    private let exclusionDepth: Int?

    /// The maximum depth of exclusions. Each takes up to six of the 100 entries in the stack of FTS5's parser.
    static let greatestDepth = 12

    /// Creates a query for all terms of a text, in any order and in any attribute of the index.
    ///
    ///     let query = FullTextQuery("great wall")
    ///
    /// - Parameter text: The terms.
    public init(_ text: String) { self = .allTerms(text) }

    private init(_ text: String, _ expression: ([String]) -> String) {
        self.init(words: expression(Self.words(text)), parts: expression(Self.parts(text)))
    }

    private init(words: String, parts: String, exclusionDepth: Int? = nil) {
        expression = words
        trigramExpression = parts == words ? nil : parts
        self.exclusionDepth = exclusionDepth
    }

    init(unchecked expression: String) { self.init(words: expression, parts: expression) }

    /// Returns the query for an index in FTS5's language.
    func expression(for index: FullTextDescription) -> String {
        trigramExpression.flatMap { index.hasTrigrams ? $0 : nil } ?? expression
    }

    /// Returns the error of a query whose exclusions are nested too deep for FTS5; nil for other queries.
    func failure(in index: FullTextDescription) -> FetchError? {
        guard let exclusionDepth, exclusionDepth > Self.greatestDepth else { return nil }
        return .invalidFullTextQuery(
            expression.count > 100 ? expression.prefix(100) + "…" : expression, index: index.name,
            reason:
                "it has more than \(Self.greatestDepth) exclusions within each other; exclude queries one after the "
                + "other, as in a.excluding(b).excluding(c)")
    }

    /// Returns a query for all terms of a text, in any order and in any attribute of the index.
    ///
    ///     let query = FullTextQuery.allTerms("great wall")
    ///
    /// - Parameter text: The terms.
    public static func allTerms(_ text: String) -> FullTextQuery {
        FullTextQuery(text) { $0.isEmpty ? nothing : $0.joined(separator: " ") }
    }

    /// Returns a query for at least one of the terms of a text.
    ///
    ///     let query = FullTextQuery.anyTerm("wall fence")
    ///
    /// - Parameter text: The terms.
    public static func anyTerm(_ text: String) -> FullTextQuery {
        FullTextQuery(text) { $0.isEmpty ? nothing : $0.joined(separator: " OR ") }
    }

    /// Returns a query for the terms of a text, one directly after the other.
    ///
    ///     let query = FullTextQuery.phrase("great wall")
    ///
    /// - Parameter text: The terms.
    public static func phrase(_ text: String) -> FullTextQuery { FullTextQuery(unchecked: quoted(text)) }

    /// Returns a query for all terms of a text, where the last one may be the beginning of a word.
    ///
    /// Use it for a search field while the user types.
    ///
    ///     let hits = try context.fetch(Post.where { $0.search.matches(.prefix(typed)) })
    ///
    /// - Parameter text: The terms.
    public static func prefix(_ text: String) -> FullTextQuery {
        FullTextQuery(text) { $0.isEmpty ? nothing : $0.joined(separator: " ") + " *" }
    }

    /// Returns a query for the matches of this query that are not matches of another one.
    ///
    ///     let query = FullTextQuery("wall").excluding("china").excluding("street")
    ///
    /// Any number of queries can be excluded one after the other. If exclusions are nested more than 12 deep, because
    /// excluded queries exclude others in turn, the fetch throws ``FetchError/invalidFullTextQuery(_:index:reason:)``.
    ///
    /// - Parameter other: The query whose matches are excluded.
    public func excluding(_ other: FullTextQuery) -> FullTextQuery {
        // The next exclusion is added to the list of the previous ones, so that they are not nested.
        func excluding(_ own: String, _ other: String) -> String {
            exclusionDepth == nil ? "(\(own)) NOT ((\(other)))" : "\(own.dropLast()) OR (\(other)))"
        }
        return FullTextQuery(
            words: excluding(expression, other.expression),
            parts: excluding(trigramExpression ?? expression, other.trigramExpression ?? other.expression),
            exclusionDepth: max(exclusionDepth ?? 1, (other.exclusionDepth ?? 0) + 1))
    }

    /// FTS5 rejects a query without phrases, but one with an empty phrase matches nothing.
    private static let nothing = "\"\""

    /// Returns each word as a string in FTS5's language. A word that the index splits at marks is searched as a phrase.
    private static func words(_ text: String) -> [String] {
        text.unicodeScalars.split { isSpace($0) }.flatMap { part in
            let words = part.split { !isOfWord($0) }
            // FTS5 may count a character as a letter that does not count here, or not yet.
            return words.isEmpty ? [quoted(String(part))] : words.map { quoted(String($0)) }
        }
    }

    /// Returns each part between white space as a string in FTS5's language.
    private static func parts(_ text: String) -> [String] {
        text.unicodeScalars.split { isSpace($0) }.map { quoted(String($0)) }
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.value == 0
    }

    /// Returns whether a character is part of words: a letter, digit or private character, as in the tokenizer
    /// `unicode61`, or a mark.
    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .privateUse, .nonspacingMark, .spacingMark, .enclosingMark:
            true
        default: false
        }
    }

    private static func quoted(_ text: String) -> String { SQLQuotation.phrase(text) }
}

extension FullTextQuery: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text) }
}

extension FullTextQuery {
    /// Creates a query from a text in the language of SQLite's FTS5, with column filters, `NEAR`, `OR` and so on.
    ///
    ///     let query = try FullTextQuery(expression: "title : great NOT wall", for: \Post.search)
    ///
    /// Use it for text from the program. For user input, the other initialisers cannot fail.
    ///
    /// - Parameters:
    ///   - expression: The text of the query.
    ///   - index: The index to search, whose columns the text may name.
    /// - Throws: ``FetchError/invalidFullTextQuery(_:index:reason:)`` if the text is invalid or names a column that the
    ///   index does not have.
    public init<Model: PersistentModel>(
        expression: String, for index: KeyPath<Model, FullText>
    ) throws(FetchError) {
        let entity = Model._ashlarEntity
        let name = Model._ashlarKeyPaths[index]
        guard let description = entity.fullTextIndexes.first(where: { $0.name == name }) else {
            throw FetchError.invalidFullTextQuery(
                expression, index: "\(entity.name).\(name ?? "")", reason: "there is no such index")
        }
        self.init(unchecked: expression)
        do {
            _ = try FullTextMatcher().matches(description, [], self)
        } catch {
            throw FetchError.invalidFullTextQuery(
                expression, index: "\(entity.name).\(description.name)", reason: error.message)
        }
        if expression.utf8.contains(0) {
            throw FetchError.invalidFullTextQuery(
                expression, index: "\(entity.name).\(description.name)", reason: "it has a NUL character")
        }
    }
}
