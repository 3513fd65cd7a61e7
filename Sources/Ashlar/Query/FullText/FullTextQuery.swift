import SQLQuoting

/// What to look for in a full-text index.
///
/// A text is taken apart into terms as the index takes apart what it holds; no text is an error, and one without terms
/// finds nothing. `FullTextQuery("great wall")`, or the literal `"great wall"`, finds what has both terms anywhere.
public struct FullTextQuery: Sendable, Hashable, Codable {
    /// The query in the language of SQLite's FTS5.
    public let expression: String

    /// Finds what has all terms of a text, in any order and in any of the index's attributes.
    public init(_ text: String) { self = .allTerms(text) }

    private init(expression: String) {
        // A query without phrases is a mistake to FTS5, one with an empty phrase finds nothing.
        self.expression = expression.isEmpty ? "\"\"" : expression
    }

    init(unchecked expression: String) { self.expression = expression }

    /// Finds what has all terms of a text, in any order and in any of the index's attributes.
    public static func allTerms(_ text: String) -> FullTextQuery {
        FullTextQuery(expression: phrases(text).joined(separator: " "))
    }

    /// Finds what has one of the terms of a text at least.
    public static func anyTerm(_ text: String) -> FullTextQuery {
        FullTextQuery(expression: phrases(text).joined(separator: " OR "))
    }

    /// Finds what has the terms of a text one after the other.
    public static func phrase(_ text: String) -> FullTextQuery { FullTextQuery(expression: quoted(text)) }

    /// Finds what has all terms of a text, of which the last may be the beginning of a word: for a search field, while
    /// somebody types in it.
    public static func prefix(_ text: String) -> FullTextQuery {
        let phrases = phrases(text)
        return FullTextQuery(expression: phrases.joined(separator: " ") + (phrases.isEmpty ? "" : " *"))
    }

    /// Finds what this finds and another does not.
    public func excluding(_ other: FullTextQuery) -> FullTextQuery {
        FullTextQuery(expression: "(\(expression)) NOT (\(other.expression))")
    }

    /// Each word as a string of FTS5's own language.
    private static func phrases(_ text: String) -> [String] {
        text.unicodeScalars.split { $0.properties.isWhitespace || $0.value == 0 }.map { quoted(String($0)) }
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
