import AshlarSQLite

/// A full-text index, and the path of to-one relationships to the entity that has it.
@_spi(Generated) public struct FullTextReference: Sendable, Hashable {
    public var path: ColumnPath
    public var index: FullTextDescription

    package init(path: ColumnPath, index: FullTextDescription) { (self.path, self.index) = (path, index) }

    /// The error if the index is used as a value.
    var unmatched: FetchError {
        FetchError.unsupportedPredicate(
            entity: path.table, construct: "the full-text index '\(index.name)' as a value",
            reason: "it is over several texts and can only be matched", hint: "ask whether it matches a query")
    }

    /// Returns an expression with a query, or the error of a query that is nested too deep.
    func checked(_ query: FullTextQuery, _ expression: SQLExpression) -> SQLExpression {
        query.failure(in: index).map { .unsupported($0) } ?? expression
    }
}

@_spi(Generated) extension SQLExpression {
    /// A value of a full-text search for a matching row.
    public enum FullTextValue: Sendable, Hashable {
        /// The rank of the row. The best matches have the least values. It is computed from the saved texts, and NULL
        /// for an unsaved row.
        case rank
        /// The entire text, with each match between two other texts.
        case highlight(column: Int, opening: String, closing: String)
        /// The part of a text with the most matches. If the column is nil, it is the one with the best part.
        case snippet(column: Int?, opening: String, closing: String, ellipsis: String, terms: Int)
    }
}

extension SQLExpression.FullTextValue {
    /// Writes the call of FTS5's function for a virtual table.
    func write(_ index: FullTextDescription, table: String, to writer: inout some SQLWriter) {
        switch self {
        case .rank:
            if index.weights.isEmpty {
                writer.write(name: table)
                return writer.write(".\"rank\"")
            }
            writer.write("bm25(")
            writer.write(name: table)
            for weight in index.weights {
                writer.write(", ")
                writer.write("\(weight)")
            }
        case .highlight(let column, let opening, let closing):
            writer.write("highlight(")
            writer.write(name: table)
            writer.write(", \(column), ")
            writer.bind(list: [.text(opening), .text(closing)])
        case .snippet(let column, let opening, let closing, let ellipsis, let terms):
            writer.write("snippet(")
            writer.write(name: table)
            writer.write(", \(column ?? -1), ")
            writer.bind(list: [.text(opening), .text(closing), .text(ellipsis)])
            writer.write(", \(terms)")
        }
        writer.write(")")
    }
}
