import DataModel
import StoreDescription

/// A spatial index: a virtual table that triggers synchronise with the columns of a table.
///
/// Its coordinates are 32-bit numbers, the minimum rounded down and the maximum up. It narrows a search, and the
/// columns decide. Objects with a coordinate of NULL are not in the index.
public struct RTree: Sendable, Hashable {
    public var name: String
    public var tableName: String
    /// The coordinate columns of the table.
    public var columnNames: [String]
    /// The entities whose rows the index covers, as in `entity$`; nil if it covers all rows.
    public var entityNames: [String]?

    /// Makes an R-tree.
    public init(name: String, tableName: String, columnNames: [String], entityNames: [String]? = nil) {
        self.name = name
        self.tableName = tableName
        self.columnNames = columnNames
        self.entityNames = entityNames
    }

    /// The column of the virtual table with the minimum of a coordinate.
    public static func minimumColumnName(of columnName: String) -> String { columnName + "$min" }

    /// The column of the virtual table with the maximum of a coordinate.
    public static func maximumColumnName(of columnName: String) -> String { columnName + "$max" }

    /// The columns of the virtual table: the object's `id$`, and two for each coordinate.
    public var virtualColumnNames: [String] {
        [ColumnName.identifier]
            + columnNames.flatMap { [Self.minimumColumnName(of: $0), Self.maximumColumnName(of: $0)] }
    }

    /// The statement that creates the virtual table.
    public var definition: String {
        """
        CREATE VIRTUAL TABLE \(SQLText.identifier(name))
            USING rtree(\(SQLText.identifiers(virtualColumnNames)))
        """
    }

    /// The contents of the virtual table: exactly the rows that the triggers maintain. Other rows would stay for ever.
    package var contents: VirtualTableContents {
        VirtualTableContents(
            name: name, columnNames: virtualColumnNames,
            rows: """
                SELECT \(values(of: nil).joined(separator: ", "))
                FROM \(SQLText.identifier(tableName))
                WHERE \(coverage)
                """)
    }

    /// The condition that a row of the table is in the R-tree.
    public var coverage: String { isCovered(nil) }

    /// The values of a row in the order of ``virtualColumnNames``, for the row of a trigger or of the table.
    func values(of row: String?) -> [String] {
        [column(ColumnName.identifier, of: row)]
            + columnNames.flatMap { Array(repeating: column($0, of: row), count: 2) }
    }

    /// The condition that a row is in the R-tree. It may be NULL, which counts as false.
    func isCovered(_ row: String?) -> String {
        var conditions = columnNames.map { "\(column($0, of: row)) IS NOT NULL" }
        if let entityNames {
            conditions.append("\(column(ColumnName.entity, of: row)) IN (\(SQLText.literals(entityNames)))")
        }
        return conditions.joined(separator: " AND ")
    }

    func column(_ name: String, of row: String?) -> String {
        (row.map { "\($0)." } ?? "") + SQLText.identifier(name)
    }
}
