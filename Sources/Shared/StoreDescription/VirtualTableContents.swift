import SQLQuoting

/// The contents of a virtual table that triggers synchronise with a table: of an R-tree or a full-text index.
///
/// The triggers, the statement that fills the virtual table and its comparison with the source are printed from these
/// parts.
package struct VirtualTableContents: Sendable, Hashable {
    /// The name of the virtual table.
    package var name: String
    /// The written columns of the virtual table, the rowid first.
    package var columnNames: [String]
    /// The query for its rows, with the values of these columns.
    package var rows: String

    package init(name: String, columnNames: [String], rows: String) {
        self.name = name
        self.columnNames = columnNames
        self.rows = rows
    }

    /// The statement that fills the empty virtual table.
    package var filling: String { "\(insertionHead)\n\(rows)" }

    /// The beginning of an `INSERT`, up to the values.
    package var insertionHead: String { "INSERT INTO \(SQLQuotation.identifier(name)) (\(columnList))" }

    /// The query for the first row in which a full-text index and its table differ, with its rowid first. An R-tree
    /// rounds its numbers, so this does not apply to it.
    package var comparison: String {
        let own = "SELECT \(columnList) FROM \(SQLQuotation.identifier(name))"
        return """
            SELECT * FROM (SELECT * FROM (\(rows) EXCEPT \(own))
            UNION ALL SELECT * FROM (\(own) EXCEPT \(rows))) ORDER BY 1 LIMIT 1
            """
    }

    private var columnList: String { columnNames.map(SQLQuotation.identifier).joined(separator: ", ") }
}
