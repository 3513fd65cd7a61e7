import AshlarSQLite

/// What a program knows at run time about a full-text index of its model; generated code makes it.
public struct FullTextDescription: Sendable, Hashable {
    /// The index's name in the model.
    public var name: String
    /// The name of the virtual table.
    public var tableName: String
    /// The positions of its attributes among the columns of the entity, in the order of the virtual table's.
    public var columns: [Int]
    /// The names of the virtual table's columns.
    public var columnNames: [String]
    /// What FTS5 is told beside the columns.
    public var options: [String]
    /// How much a hit in each column counts in the rank; empty where all count the same.
    public var weights: [Double]
    /// The names in `entity$` of the rows that it covers; empty when it covers all rows.
    public var entityNames: [String]

    /// Makes a description; generated code does.
    @_spi(Generated) public init(
        _ name: String, tableName: String, columns: [Int], columnNames: [String], options: [String],
        weights: [Double] = [], entityNames: [String] = []
    ) {
        self.name = name
        self.tableName = tableName
        self.columns = columns
        self.columnNames = columnNames
        self.options = options
        self.weights = weights
        self.entityNames = entityNames
    }

    /// A virtual table that finds what this one finds.
    func definition(named name: String) -> String {
        let columns = columnNames.map(\.quotedIdentifier)
        return "CREATE VIRTUAL TABLE \(name.quotedIdentifier) USING fts5("
            + (columns + options).joined(separator: ", ") + ")"
    }
}

/// A full-text index, and the path of to-one relationships that leads to the entity that has it.
@_spi(Generated) public struct FullTextReference: Sendable, Hashable {
    public var path: ColumnPath
    public var index: FullTextDescription

    /// Why the index by itself is no value.
    var unmatched: UnsupportedPredicate {
        UnsupportedPredicate(
            entity: path.table, construct: "the full-text index '\(index.name)' as a value",
            reason: "it is over several texts and can only be matched", hint: "ask whether it matches a query")
    }
}

@_spi(Generated) extension SQLExpression {
    /// What a full-text search tells of a row that it finds.
    public enum FullTextValue: Sendable, Hashable {
        /// How well the row fits: the less, the better. That of the saved texts; NULL for a row that is not saved.
        case rank
        /// A whole text with the hits between two others.
        case highlight(column: Int, opening: String, closing: String)
        /// The part of a text with the most hits; the column is that with the best part where it is nil.
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
