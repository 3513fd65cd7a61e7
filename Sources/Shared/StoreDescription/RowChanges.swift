import SQLQuoting

/// A copy of rows of one table into another, with all columns named.
package struct RowCopy: Sendable, Hashable {
    /// The table that is written.
    package var table: String
    /// The columns that are written.
    package var columns: [String]
    /// The values of the written columns, as SQL over a row of the source.
    package var values: [String]
    /// The table that is read.
    package var source: String
    /// The condition of the rows; nil for all.
    package var condition: String?

    package init(into table: String, columns: [String], values: [String], from source: String, where condition: String?)
    {
        self.table = table
        self.columns = columns
        self.values = values
        self.source = source
        self.condition = condition
    }

    /// The written columns with the columns that their values come from; nil for computed values.
    package var sources: [(column: String, source: String?)] {
        zip(columns, values).map { column, value in
            let name = SQLQuotation.content(of: value)
            return (column, value == SQLQuotation.identifier(name) ? name : nil)
        }
    }

    var sql: String {
        """
        INSERT INTO \(SQLQuotation.identifier(table)) (\(columns.map(SQLQuotation.identifier).joined(separator: ", ")))
        SELECT \(values.joined(separator: ", "))
        FROM \(SQLQuotation.identifier(source))\(condition.map { "\nWHERE \($0)" } ?? "")
        """
    }
}

/// New values for rows of a table.
package struct RowUpdate: Sendable, Hashable {
    package var table: String
    package var columns: [String]
    /// The values of the columns, as SQL over the row.
    package var values: [String]
    /// The condition of the rows; nil for all.
    package var condition: String?

    package init(of table: String, columns: [String], values: [String], where condition: String?) {
        self.table = table
        self.columns = columns
        self.values = values
        self.condition = condition
    }

    var sql: String {
        let assignments = zip(columns, values).map { "\(SQLQuotation.identifier($0)) = \($1)" }
        return "UPDATE \(SQLQuotation.identifier(table))\nSET \(assignments.joined(separator: ",\n    "))"
            + (condition.map { "\nWHERE \($0)" } ?? "")
    }
}
