extension SQLExpression {
    static func sql(
        _ reference: FullTextReference, matches query: FullTextQuery, _ statement: inout SQLStatement
    ) -> String {
        let identifier = reference.path.identifier
        statement.join(identifier.path)
        let table = reference.index.tableName.quotedIdentifier
        let parameter = statement.parameter(.text(query.expression))
        return "\(identifier.sql) IN (SELECT \"rowid\" FROM \(table) WHERE \(table) MATCH \(parameter))"
    }

    static func sql(
        _ reference: FullTextReference, _ query: FullTextQuery, _ value: FullTextValue,
        _ statement: inout SQLStatement
    ) -> String {
        let identifier = reference.path.identifier
        statement.join(identifier.path)
        let name = reference.index.tableName
        let table = name.quotedIdentifier
        let parameter = statement.parameter(.text(query.expression))
        let call = value.sql(reference.index, name) { statement.parameter($0) }
        let condition = "\(table) MATCH \(parameter)"
        guard value == .rank else {
            return "(SELECT \(call) FROM \(table) WHERE \(condition) AND \"rowid\" = \(identifier.sql))"
        }
        // The rank of one row alone would count the rows of each term anew. The limit keeps SQLite from taking the
        // inner query apart, so that it is run once and gets an index.
        return """
            (SELECT "value$" FROM (SELECT "rowid" AS "row$", \(call) AS "value$" FROM \(table) \
            WHERE \(condition) LIMIT -1) WHERE "row$" = \(identifier.sql))
            """
    }

    /// Whether a text matches what a format string has on the right of `MATCHES`: of a full-text index, a query of all
    /// its terms; of an attribute, a regular expression. Generated code calls it.
    public static func _ashlarMatches(
        _ left: SQLExpression, _ right: SQLExpression, _ options: TextOptions
    ) -> SQLExpression {
        guard case .fullText(let reference) = left else { return .text(left, .matches, right, options) }
        guard case .value(.text(let text)) = right else { return .alwaysFalse }
        return .matches(reference, FullTextQuery(text))
    }
}
