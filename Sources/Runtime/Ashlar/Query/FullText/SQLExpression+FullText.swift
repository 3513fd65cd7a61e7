extension FullTextReference {
    /// Writes whether a query matches the row.
    func writeMatch(_ query: FullTextQuery, to writer: inout some SQLWriter) {
        if path.cast != nil {
            let plain = FullTextReference(path: path.withoutCast, index: index)
            return SQLExpression.and([path.exists, .matches(plain, query)]).write(to: &writer)
        }
        SQLExpression.column(path.identifier).write(to: &writer)
        writer.write(" IN (SELECT \"rowid\" FROM ")
        writeSearch(query, to: &writer)
        writer.write(")")
    }

    /// Writes the value of a query for the row.
    func write(
        _ value: SQLExpression.FullTextValue, of query: FullTextQuery, to writer: inout some SQLWriter
    ) {
        if value == .rank {
            // Computing the rank for one row alone would count the rows of each term again. The limit prevents SQLite
            // from flattening the inner query, so that it runs once and gets an index.
            writer.write("(SELECT \"value$\" FROM (SELECT \"rowid\" AS \"row$\", ")
            value.write(index, table: index.tableName, to: &writer)
            writer.write(" AS \"value$\" FROM ")
            writeSearch(query, to: &writer)
            writer.write(" LIMIT -1) WHERE \"row$\" = ")
        } else {
            writer.write("(SELECT ")
            value.write(index, table: index.tableName, to: &writer)
            writer.write(" FROM ")
            writeSearch(query, to: &writer)
            writer.write(" AND \"rowid\" = ")
        }
        SQLExpression.column(path.identifier).write(to: &writer)
        writer.write(")")
    }

    private func writeSearch(_ query: FullTextQuery, to writer: inout some SQLWriter) {
        writer.write(name: index.tableName)
        writer.write(" WHERE ")
        writer.write(name: index.tableName)
        writer.write(" MATCH ")
        writer.bind(.text(query.expression(for: index)))
    }
}

@_spi(Generated) extension SQLExpression {
    /// Returns the condition of `MATCHES` in a format string. A full-text index must match a query for all terms of the
    /// text, and an attribute must match a regular expression. It is for generated code.
    @_spi(Generated) public static func _ashlarMatches(
        _ left: SQLExpression, _ right: SQLExpression, _ options: TextOptions
    ) -> SQLExpression {
        guard case .fullText(let reference) = left else { return .text(left, .matches, right, options) }
        guard case .value(.text(let text)) = right else { return .alwaysFalse }
        return .matches(reference, FullTextQuery(text))
    }
}
