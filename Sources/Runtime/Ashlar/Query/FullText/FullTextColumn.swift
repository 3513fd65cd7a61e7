/// A full-text index of an entity, in the closures of ``FetchDescriptor``.
///
/// Generated code adds a property with the index's name to the columns of its entity.
///
///     let hits = try context.fetch(
///         Post.where { $0.search.matches(query) }.order { $0.search.rank(of: query).ascending })
public struct FullTextColumn: Sendable {
    let reference: FullTextReference

    /// Creates a column at the end of a path, for generated code.
    @_spi(Generated) public init(_ owner: Columns<some ManagedObject>, _ index: FullTextDescription) {
        reference = FullTextReference(path: owner._ashlarPath, index: index)
    }

    /// The texts as an expression, for generated code.
    @_spi(Generated) public var _ashlarExpression: SQLExpression { .fullText(reference) }

    /// Returns the condition that a query matches the object, including unsaved changes.
    ///
    /// It is false if a relationship on the path is nil.
    ///
    ///     let hits = try context.fetch(Post.where { $0.search.matches(.phrase("great wall")) })
    ///
    /// - Parameter query: The query.
    public func matches(_ query: FullTextQuery) -> Condition {
        Condition(reference.checked(query, .matches(reference, query)))
    }

    /// Returns the condition that the object contains all terms of a text.
    ///
    ///     let hits = try context.fetch(Post.where { $0.search.matches("great wall") })
    ///
    /// - Parameter text: The terms, in any order.
    public func matches(_ text: String) -> Condition { matches(FullTextQuery(text)) }

    /// Returns the rank of the object for a query, to order by. The best matches have the least values.
    ///
    ///     let hits = try context.fetch(
    ///         Post.where { $0.search.matches(query) }.order { $0.search.rank(of: query).ascending })
    ///
    /// The value is FTS5's `bm25` with the weights of the model, and negative. It is computed from the saved texts. An
    /// object whose saved texts do not match has nil, and so comes first.
    ///
    /// - Parameter query: The query.
    public func rank(of query: FullTextQuery) -> Column<Double?> {
        Column(
            reference.checked(query, .fullTextValue(reference, query, .rank)), ColumnCoding<Double>.double.optional)
    }

    /// Returns an attribute's text in which each match of a query is marked.
    ///
    ///     let rows: [(String, String?)] = try context.fetch(
    ///         Post.where { $0.search.matches(query) }.select { ($0.title, $0.search.highlight($0.title, of: query)) })
    ///
    /// The value is nil if the query does not match the object. The fetch throws ``FetchError`` if the attribute does
    /// not belong to the index.
    ///
    /// - Parameters:
    ///   - attribute: An attribute of the index.
    ///   - query: The query.
    ///   - opening: The text before each match.
    ///   - closing: The text after each match.
    public func highlight(
        _ attribute: Column<some ColumnText>, of query: FullTextQuery, opening: String = "<b>", closing: String = "</b>"
    ) -> Column<String?> {
        text(of: attribute.expression, query) { .highlight(column: $0, opening: opening, closing: closing) }
    }

    /// Returns the part of the index's texts with the most matches of a query, in which each match is marked.
    ///
    ///     let rows: [(String, String?)] = try context.fetch(
    ///         Post.where { $0.search.matches(query) }.select { ($0.title, $0.search.snippet(of: query)) })
    ///
    /// The value is nil if the query does not match the object.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - opening: The text before each match.
    ///   - closing: The text after each match.
    ///   - ellipsis: The text where the part does not begin or end with the attribute.
    ///   - terms: The maximum number of terms in the part, from 1 to 64.
    public func snippet(
        of query: FullTextQuery, opening: String = "<b>", closing: String = "</b>", ellipsis: String = "…",
        terms: Int = 16
    ) -> Column<String?> {
        let value = SQLExpression.FullTextValue.snippet(
            column: nil, opening: opening, closing: closing, ellipsis: ellipsis, terms: min(max(terms, 1), 64))
        return Column(
            reference.checked(query, .fullTextValue(reference, query, value)), ColumnCoding<String>.string.optional)
    }

    /// Returns the part of one attribute's text with the most matches of a query.
    ///
    /// See ``snippet(of:opening:closing:ellipsis:terms:)``.
    ///
    ///     let rows: [(String, String?)] = try context.fetch(
    ///         Post.where { $0.search.matches(query) }.select { ($0.title, $0.search.snippet($0.text, of: query)) })
    ///
    /// - Parameters:
    ///   - attribute: An attribute of the index.
    ///   - query: The query.
    ///   - opening: The text before each match.
    ///   - closing: The text after each match.
    ///   - ellipsis: The text where the part does not begin or end with the attribute.
    ///   - terms: The maximum number of terms in the part, from 1 to 64.
    public func snippet(
        _ attribute: Column<some ColumnText>, of query: FullTextQuery, opening: String = "<b>",
        closing: String = "</b>", ellipsis: String = "…", terms: Int = 16
    ) -> Column<String?> {
        text(of: attribute.expression, query) {
            .snippet(
                column: $0, opening: opening, closing: closing, ellipsis: ellipsis, terms: min(max(terms, 1), 64))
        }
    }

    private func text(
        of attribute: SQLExpression, _ query: FullTextQuery, _ value: (Int) -> SQLExpression.FullTextValue
    ) -> Column<String?> {
        let coding = ColumnCoding<String>.string.optional
        guard case .column(let column) = attribute, column.path.withoutCast == reference.path.withoutCast,
            let position = reference.index.columns.firstIndex(of: column.column)
        else {
            return Column(
                .unsupported(
                    FetchError.unsupportedPredicate(
                        entity: reference.path.table, construct: "a part of a text",
                        reason: "the full-text index '\(reference.index.name)' does not have it",
                        hint: "name one of the index's attributes")), coding)
        }
        return Column(reference.checked(query, .fullTextValue(reference, query, value(position))), coding)
    }
}
