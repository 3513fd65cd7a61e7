import DataModel
import StoreDescription

/// A full-text index: a virtual table of SQLite's FTS5 that triggers keep in step with text columns of a table.
///
/// It has a copy of the texts. FTS5 can also leave them in the table that they come from; but then it has to be told,
/// with each row that goes, the very texts that it was given for it, and loses its way for good where the table has
/// others by then: after a trigger that derives one of the columns, or a replacement that SQLite tells no trigger of. A
/// row with a copy is removed by its number alone.
///
/// Objects whose columns are all NULL are not in it.
public struct FullTextTable: Sendable, Hashable {
    public var name: String
    public var tableName: String
    /// The columns of the table that hold the texts.
    public var columnNames: [String]
    /// The columns that these are generated from, as an `UPDATE` names them.
    public var sourceColumnNames: [String]
    /// The entities whose rows it covers, as `entity$` names them; nil when it covers all rows.
    public var entityNames: [String]?
    public var tokenizer: FullTextOptions.Tokenizer
    /// The lengths of the prefixes that have an index of their own.
    public var prefixLengths: [Int]

    /// Makes a full-text index.
    public init(
        name: String, tableName: String, columnNames: [String], sourceColumnNames: [String] = [],
        entityNames: [String]? = nil, tokenizer: FullTextOptions.Tokenizer = .unicode61, prefixLengths: [Int] = []
    ) {
        self.name = name
        self.tableName = tableName
        self.columnNames = columnNames
        self.sourceColumnNames = sourceColumnNames
        self.entityNames = entityNames
        self.tokenizer = tokenizer
        self.prefixLengths = prefixLengths
    }

    /// The name of a column in the virtual table. FTS5 keeps two names for itself.
    public static func virtualColumnName(of columnName: String) -> String {
        ["rank", "rowid"].contains(SQLText.folded(columnName)) ? columnName + "$text" : columnName
    }

    /// The columns of the virtual table, without the rowid, which is the object's `id$`.
    public var virtualColumnNames: [String] { columnNames.map(Self.virtualColumnName) }

    /// What FTS5 is told beside the columns; an in-memory table with the same finds the same.
    public var options: [String] {
        let tokenize =
            switch tokenizer {
            case .unicode61: "unicode61 remove_diacritics 2"
            case .porter: "porter unicode61 remove_diacritics 2"
            case .trigram: "trigram"
            }
        var options = ["tokenize = \(SQLText.literal(tokenize))"]
        if !prefixLengths.isEmpty {
            options.append("prefix = \(SQLText.literal(prefixLengths.map(String.init).joined(separator: " ")))")
        }
        return options
    }

    /// The statement that creates the virtual table.
    public var definition: String {
        """
        CREATE VIRTUAL TABLE \(SQLText.identifier(name))
            USING fts5(\(SQLText.identifiers(virtualColumnNames)), \(options.joined(separator: ", ")))
        """
    }

    /// What belongs in the virtual table.
    package var contents: VirtualTableContents {
        VirtualTableContents(
            name: name, columnNames: ["rowid"] + virtualColumnNames,
            rows: """
                \(selection)
                WHERE \(coverage)
                """)
    }

    /// The rows as they are in the virtual table, up to a condition.
    public var selection: String {
        """
        SELECT \(SQLText.identifiers([ColumnName.identifier] + columnNames))
        FROM \(SQLText.identifier(tableName))
        """
    }

    /// The condition that a row of the table is in the index.
    public var coverage: String {
        let texts = columnNames.map { "\(SQLText.identifier($0)) IS NOT NULL" }
        let isText = texts.count == 1 ? texts[0] : "(\(texts.joined(separator: " OR ")))"
        guard let entityNames else { return isText }
        return isText + " AND \(SQLText.identifier(ColumnName.entity)) IN (\(SQLText.literals(entityNames)))"
    }
}
