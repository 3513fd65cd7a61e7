import SQLQuoting

/// Names and texts as SQL writes them.
extension String {
    /// The name in double quotes, with the quotes in it doubled.
    package var quotedIdentifier: String { SQLQuotation.identifier(self) }

    /// The text as a string literal.
    var quotedLiteral: String { SQLQuotation.literal(self) }

    /// A table's or row's name and a column's, each in double quotes, with a dot between.
    static func qualifiedIdentifier(_ row: String, _ column: String) -> String {
        SQLQuotation.qualifiedIdentifier(row, column)
    }
}
