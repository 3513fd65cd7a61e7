import DataModel
import StoreDescription

/// A spatial index: a virtual table that triggers keep in step with the columns of a table.
///
/// Its coordinates are 32-bit numbers, the least rounded down and the greatest up: it narrows a search, and the
/// columns themselves decide. Objects of which a coordinate is NULL are not in it.
public struct RTree: Sendable, Hashable {
    public var name: String
    public var tableName: String
    /// The columns of the table that are the coordinates.
    public var columnNames: [String]
    /// The entities whose rows it covers, as `entity$` names them; nil when it covers all rows.
    public var entityNames: [String]?

    /// Makes an R-tree.
    public init(name: String, tableName: String, columnNames: [String], entityNames: [String]? = nil) {
        self.name = name
        self.tableName = tableName
        self.columnNames = columnNames
        self.entityNames = entityNames
    }

    /// The column of the virtual table that holds the least value of a coordinate.
    public static func minimumColumnName(of columnName: String) -> String { columnName + "$min" }

    /// The column of the virtual table that holds the greatest value of a coordinate.
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

    /// What belongs in the virtual table: the very rows that the triggers keep, else the others would stay in it for ever.
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

    /// The values of a row in the order of ``virtualColumnNames``; the row is that of a trigger, or the table's.
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
