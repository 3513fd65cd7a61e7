import SQLQuoting

/// What belongs in a virtual table that triggers keep in step with a table: in an R-tree or a full-text index.
///
/// The triggers, the statement that fills the table and what compares it with its source are put together from these
/// parts, so that nobody has to find one of them in the text of another.
package struct VirtualTableContents: Sendable, Hashable {
    /// The name of the virtual table.
    package var name: String
    /// The columns of the virtual table that are written, the row's number first.
    package var columnNames: [String]
    /// The query for the rows that belong in it, with the values of these columns.
    package var rows: String

    package init(name: String, columnNames: [String], rows: String) {
        self.name = name
        self.columnNames = columnNames
        self.rows = rows
    }

    /// The statement that fills the virtual table, which is empty.
    package var filling: String { "\(insertionHead)\n\(rows)" }

    /// An insertion up to its values.
    package var insertionHead: String { "INSERT INTO \(SQLQuotation.identifier(name)) (\(columnList))" }

    /// The query for the rows in which a full-text index and its table differ; the number of the first comes first. An
    /// R-tree cannot be compared so, as it rounds its numbers.
    package var comparison: String {
        let own = "SELECT \(columnList) FROM \(SQLQuotation.identifier(name))"
        return """
            SELECT * FROM (SELECT * FROM (\(rows) EXCEPT \(own))
            UNION ALL SELECT * FROM (\(own) EXCEPT \(rows))) ORDER BY 1 LIMIT 1
            """
    }

    private var columnList: String { columnNames.map(SQLQuotation.identifier).joined(separator: ", ") }
}
