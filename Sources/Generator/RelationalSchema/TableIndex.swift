import DataModel

/// An index of a table.
public struct TableIndex: Sendable, Hashable {
    /// One column of an index, or an expression over the columns of a row.
    public struct Element: Sendable, Hashable {
        /// The indexed column or expression.
        public enum Content: Sendable, Hashable {
            case column(String)
            /// SQL over the columns of the table.
            case expression(String)
        }

        public var content: Content
        public var isDescending: Bool

        /// Makes an element over a column.
        public init(columnName: String, isDescending: Bool = false) {
            content = .column(columnName)
            self.isDescending = isDescending
        }

        /// Makes an element over an expression.
        public init(expression: String, isDescending: Bool = false) {
            content = .expression(expression)
            self.isDescending = isDescending
        }

        /// The column; nil for an expression.
        public var columnName: String? {
            if case .column(let name) = content { name } else { nil }
        }

        var sql: String {
            switch content {
            case .column(let name): SQLText.identifier(name)
            case .expression(let text): text
            }
        }
    }

    public var name: String
    public var tableName: String
    public var elements: [Element]
    public var isUnique: Bool
    /// The entities whose rows the index covers, as in `entity$`; nil if it covers all rows.
    public var entityNames: [String]?
    /// The condition of a partial index, over the columns of the table.
    public var condition: String?

    /// Makes an index.
    public init(
        name: String, tableName: String, elements: [Element], isUnique: Bool = false, entityNames: [String]? = nil,
        condition: String? = nil
    ) {
        self.name = name
        self.tableName = tableName
        self.elements = elements
        self.isUnique = isUnique
        self.entityNames = entityNames
        self.condition = condition
    }

    /// Whether its definition names columns of the table other than its elements.
    public var hasExpressions: Bool { condition != nil || elements.contains { $0.columnName == nil } }

    /// The statement that creates the index.
    public var definition: String {
        let columns = elements.map { $0.sql + ($0.isDescending ? " DESC" : "") }
        var text = """
            CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLText.identifier(name))
                ON \(SQLText.identifier(tableName)) (\(columns.joined(separator: ", ")))
            """
        var conditions = condition.map { [$0] } ?? []
        if let entityNames {
            conditions.append("\(SQLText.identifier(ColumnName.entity)) IN (\(SQLText.literals(entityNames)))")
        }
        if !conditions.isEmpty { text += "\n    WHERE \(conditions.joined(separator: " AND "))" }
        return text
    }
}
