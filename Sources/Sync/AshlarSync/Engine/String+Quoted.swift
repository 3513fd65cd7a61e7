import SQLQuoting

extension String {
    /// The text as a quoted identifier in SQL.
    var quotedIdentifier: String { SQLQuotation.identifier(self) }
}
