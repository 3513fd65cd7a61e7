import SQLQuoting

/// Names and texts in SQL.
extension String {
    /// The name in double quotation marks, with those in it doubled.
    package var quotedIdentifier: String { SQLQuotation.identifier(self) }

    /// The text as a string literal.
    var quotedLiteral: String { SQLQuotation.literal(self) }

    /// Returns the name of a table or row and that of a column, each in double quotation marks, with a dot between
    /// them.
    static func qualifiedIdentifier(_ row: String, _ column: String) -> String {
        SQLQuotation.qualifiedIdentifier(row, column)
    }
}
