import DataModel
import StoreDescription

/// A full-text index: a virtual table of SQLite's FTS5 that triggers synchronise with text columns of a table.
///
/// It has a copy of the texts. Without a copy, FTS5 would need the exact old texts of each deleted row. The index would
/// stay wrong if the table has other texts by then: after a trigger that derives a column, or a replacement without a
/// trigger. A row with a copy is removed by its number alone.
///
/// Objects whose columns are all NULL are not in the index.
public struct FullTextTable: Sendable, Hashable {
    public var name: String
    public var tableName: String
    /// The columns of the table with the texts.
    public var columnNames: [String]
    /// The source columns of generated ones, as an `UPDATE` names them.
    public var sourceColumnNames: [String]
    /// The entities whose rows the index covers, as in `entity$`; nil if it covers all rows.
    public var entityNames: [String]?
    public var tokenizer: FullTextOptions.Tokenizer
    /// The lengths of prefixes with an index of their own.
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

    /// The name of a column in the virtual table. FTS5 reserves two names.
    public static func virtualColumnName(of columnName: String) -> String {
        ["rank", "rowid"].contains(SQLText.folded(columnName)) ? columnName + "$text" : columnName
    }

    /// The columns of the virtual table, without the rowid, which is the object's `id$`.
    public var virtualColumnNames: [String] { columnNames.map(Self.virtualColumnName) }

    /// The options of FTS5. An in-memory table with the same options finds the same rows.
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

    /// The contents of the virtual table.
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
