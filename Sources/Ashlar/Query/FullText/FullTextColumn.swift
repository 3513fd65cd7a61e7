/// A full-text index of an entity, in the closures of ``FetchDescriptor``: `$0.search.matches("great wall")`.
///
/// Generated code adds a property with the index's name to the columns of its entity.
public struct FullTextColumn: Sendable {
    let reference: FullTextReference

    /// Makes a column at the end of a path; generated code does.
    @_spi(Generated) public init(_ owner: Columns<some ManagedObject>, _ index: FullTextDescription) {
        reference = FullTextReference(path: owner._ashlarPath, index: index)
    }

    /// The texts as a tree; generated code reads it.
    @_spi(Generated) public var _ashlarExpression: SQLExpression { .fullText(reference) }

    /// Whether a query finds the object, among what is saved and what is not. False where a relationship leads to none.
    public func matches(_ query: FullTextQuery) -> Condition { Condition(.matches(reference, query)) }

    /// Whether the object has all terms of a text.
    public func matches(_ text: String) -> Condition { matches(FullTextQuery(text)) }

    /// How well a query finds the object, to order by: `.order { $0.search.rank(of: query).ascending }` puts what fits
    /// best first.
    ///
    /// The number is FTS5's `bm25`, with the weights of the model, and below zero; the less, the better. It is that of the
    /// saved texts. An object of which nothing is saved that the query finds has nil, and so comes first.
    public func rank(of query: FullTextQuery) -> Column<Double?> {
        Column(.fullTextValue(reference, query, .rank), ColumnCoding<Double>.double.optional)
    }

    /// The text of one of the index's attributes with all that a query found in it between two texts; nil where the query
    /// does not find the object.
    ///
    ///     Post.where { $0.search.matches(query) }.select { ($0.title, $0.search.highlight($0.title, of: query)) }
    ///
    /// The fetch throws ``FetchError`` when the attribute is not one of the index's.
    public func highlight(
        _ attribute: Column<some ColumnText>, of query: FullTextQuery, opening: String = "<b>", closing: String = "</b>"
    ) -> Column<String?> {
        text(of: attribute.expression, query) { .highlight(column: $0, opening: opening, closing: closing) }
    }

    /// The part of one of the index's texts in which a query found most, with what it found between two texts; nil where
    /// the query does not find the object.
    ///
    /// - Parameters:
    ///   - query: What is looked for.
    ///   - opening: The text before each hit.
    ///   - closing: The text after each hit.
    ///   - ellipsis: The text where the part does not begin or end with the attribute.
    ///   - terms: The most terms that the part has, from 1 to 64.
    public func snippet(
        of query: FullTextQuery, opening: String = "<b>", closing: String = "</b>", ellipsis: String = "…",
        terms: Int = 16
    ) -> Column<String?> {
        let value = SQLExpression.FullTextValue.snippet(
            column: nil, opening: opening, closing: closing, ellipsis: ellipsis, terms: min(max(terms, 1), 64))
        return Column(.fullTextValue(reference, query, value), ColumnCoding<String>.string.optional)
    }

    /// The part of one attribute in which a query found most; see ``snippet(of:opening:closing:ellipsis:terms:)``.
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
        return Column(.fullTextValue(reference, query, value(position)), coding)
    }
}
