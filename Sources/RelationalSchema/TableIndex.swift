import DataModel

/// An index of a table.
public struct TableIndex: Sendable, Hashable {
    /// One column of an index.
    public struct Element: Sendable, Hashable {
        public var columnName: String
        public var isDescending: Bool

        /// Makes an element.
        public init(columnName: String, isDescending: Bool = false) {
            self.columnName = columnName
            self.isDescending = isDescending
        }
    }

    public var name: String
    public var tableName: String
    public var elements: [Element]
    public var isUnique: Bool
    /// The entities whose rows the index covers, as `entity$` names them; nil when it covers all rows.
    public var entityNames: [String]?

    /// Makes an index.
    public init(
        name: String, tableName: String, elements: [Element], isUnique: Bool = false, entityNames: [String]? = nil
    ) {
        self.name = name
        self.tableName = tableName
        self.elements = elements
        self.isUnique = isUnique
        self.entityNames = entityNames
    }

    /// The statement that creates the index.
    public var definition: String {
        let columns = elements.map { SQLText.identifier($0.columnName) + ($0.isDescending ? " DESC" : "") }
        var text = """
            CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLText.identifier(name))
                ON \(SQLText.identifier(tableName)) (\(columns.joined(separator: ", ")))
            """
        if let entityNames {
            text += """

                    WHERE \(SQLText.identifier(ColumnName.entity)) IN (\(SQLText.literals(entityNames)))
                """
        }
        return text
    }
}
