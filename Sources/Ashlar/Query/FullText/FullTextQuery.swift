import SQLQuoting

/// What to look for in a full-text index.
///
/// Terms are words: letters, digits and their marks. White space, punctuation and symbols divide them and are ignored
/// otherwise. For an index with the tokenizer `trigram`, terms are divided by white space alone, as it finds punctuation
/// too. No text is an error, and one without terms finds nothing. `FullTextQuery("great wall")`, or the literal
/// `"great wall"`, finds what has both terms anywhere.
public struct FullTextQuery: Sendable, Hashable, Codable {
    /// The query in the language of SQLite's FTS5, for an index of words.
    public let expression: String
    /// The query for an index of trigrams; nil where it is the same.
    private let trigramExpression: String?

    /// Finds what has all terms of a text, in any order and in any of the index's attributes.
    public init(_ text: String) { self = .allTerms(text) }

    private init(_ text: String, _ expression: ([String]) -> String) {
        self.init(words: expression(Self.words(text)), parts: expression(Self.parts(text)))
    }

    private init(words: String, parts: String) {
        expression = words
        trigramExpression = parts == words ? nil : parts
    }

    init(unchecked expression: String) { self.init(words: expression, parts: expression) }

    /// The query in FTS5's language for an index.
    func expression(for index: FullTextDescription) -> String {
        trigramExpression.flatMap { index.hasTrigrams ? $0 : nil } ?? expression
    }

    /// Finds what has all terms of a text, in any order and in any of the index's attributes.
    public static func allTerms(_ text: String) -> FullTextQuery {
        FullTextQuery(text) { $0.isEmpty ? nothing : $0.joined(separator: " ") }
    }

    /// Finds what has one of the terms of a text at least.
    public static func anyTerm(_ text: String) -> FullTextQuery {
        FullTextQuery(text) { $0.isEmpty ? nothing : $0.joined(separator: " OR ") }
    }

    /// Finds what has the terms of a text one after the other.
    public static func phrase(_ text: String) -> FullTextQuery { FullTextQuery(unchecked: quoted(text)) }

    /// Finds what has all terms of a text, of which the last may be the beginning of a word: for a search field, while
    /// somebody types in it.
    public static func prefix(_ text: String) -> FullTextQuery {
        FullTextQuery(text) { $0.isEmpty ? nothing : $0.joined(separator: " ") + " *" }
    }

    /// Finds what this finds and another does not.
    public func excluding(_ other: FullTextQuery) -> FullTextQuery {
        func excluding(_ own: String, _ other: String) -> String { "(\(own)) NOT (\(other))" }
        return FullTextQuery(
            words: excluding(expression, other.expression),
            parts: excluding(trigramExpression ?? expression, other.trigramExpression ?? other.expression))
    }

    /// A query without phrases is a mistake to FTS5, one with an empty phrase finds nothing.
    private static let nothing = "\"\""

    /// Each word as a string of FTS5's own language. A word with marks at which the index divides is found as a phrase.
    private static func words(_ text: String) -> [String] {
        text.unicodeScalars.split { isSpace($0) }.flatMap { part in
            let words = part.split { !isOfWord($0) }
            // FTS5 may know a character as a letter that is none here, or none yet.
            return words.isEmpty ? [quoted(String(part))] : words.map { quoted(String($0)) }
        }
    }

    /// Each part between white space as a string of FTS5's own language.
    private static func parts(_ text: String) -> [String] {
        text.unicodeScalars.split { isSpace($0) }.map { quoted(String($0)) }
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.value == 0
    }

    /// Whether a character is part of words: a letter, digit or private character, as in the tokenizer `unicode61`, or a mark.
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
    /// Makes a query of a text in the language of SQLite's FTS5, with column filters, `NEAR`, `OR` and the like:
    /// `try FullTextQuery(expression: "title : great NOT wall", for: \Post.search)`.
    ///
    /// It is for one index, whose columns it may name. Give texts that people write to the other initialisers, which
    /// cannot fail.
    ///
    /// - Throws: ``FetchError`` when it is none, or names a column that the index does not have.
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
