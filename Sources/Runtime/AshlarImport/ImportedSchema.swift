import Ashlar
import AshlarSQLite
import StoreDescription
import SystemFoundation

/// The tables of a version of the model, as a store of that version has them by now.
struct ImportedSchema {
    /// A unique index of the tables.
    struct UniqueIndex {
        var name: String
        var table: String
        var columns: [String]
        /// The condition on its rows; nil for all rows.
        var condition: String?
        var sql: String
    }

    private let statements: [String]
    /// The rows that the schema itself has: tables of letters.
    private let rows: [(table: String, columns: [String], rows: [[SQLiteValue]])]
    let uniqueIndexes: [UniqueIndex]
    /// The indexes of references: their names and statements.
    private let referenceIndexes: [(name: String, sql: String)]
    /// The default of each column, as SQL.
    let defaults: [String: [String: String]]
    /// The names of the tables of objects and of pairs.
    let tables: [String]
    private let hasObjects: Bool

    /// - Parameter hasObjects: Whether indexes, triggers and virtual tables are made too.
    init(
        of model: ModelDescription, position: Int, entities: [String: StoredEntity], hasObjects: Bool,
        importing old: URL
    ) throws {
        self.hasObjects = hasObjects
        guard let connection = try model.emptyStore(ofVersionAt: position, fillsOwnTables: true) else {
            throw ImportError(
                .missingDescription, old,
                "the model's code does not say how stores of its first version were made. Build the program anew with this version "
                    + "of Ashlar.")
        }
        let held = Self.tables(of: entities)
        tables = held.sorted()
        try Self.dropOthers(held, connection)
        uniqueIndexes = try Self.uniqueIndexes(connection)
        // Unique indexes are created after the search for rows that violate them.
        for index in uniqueIndexes { try connection.execute("DROP INDEX \(index.name.quotedIdentifier)") }
        let schema = try connection.schema()
        referenceIndexes = schema.objects(.index).filter { $0.name.hasPrefix("reference$") }
            .sorted { $0.name < $1.name }.map { ($0.name, $0.sql ?? "") }
        statements = try schema.definedObjects().filter { hasObjects || $0.kind == .table && !$0.isVirtualTable }
            .compactMap(\.sql)
        let ownTables = schema.objects(.table).map(\.name).filter {
            $0.hasPrefix("ashlar$") && $0 != "ashlar$metadata"
        }
        rows = try ownTables.map { name in
            let columns = try schema.columns(of: name).filter(\.isOrdinary).map(\.name.quotedIdentifier)
            let rows = try connection.rows("SELECT \(columns.joined(separator: ", ")) FROM \(name.quotedIdentifier)")
            return (name, columns, rows)
        }
        defaults = try Self.defaults(tables, schema)
    }

    private static func tables(of entities: [String: StoredEntity]) -> Set<String> {
        var tables: Set<String> = []
        for entity in entities.values {
            tables.insert(entity.table)
            for relationship in entity.relationships {
                if case .joinTable(let name, _, _, _) = relationship.storage { tables.insert(name) }
            }
        }
        return tables
    }

    /// A store with some of the model's entities has no tables of the others.
    private static func dropOthers(_ held: Set<String>, _ connection: Connection) throws {
        try connection.execute("PRAGMA foreign_keys = OFF")
        for table in try connection.schema().tables()
        where table.kind == .table && !table.isReserved && !table.name.hasPrefix("ashlar$")
            && !held.contains(table.name)
        {
            connection.forgetStatements()
            try connection.execute("DROP TABLE \(table.name.quotedIdentifier)")
        }
    }

    private static func uniqueIndexes(_ connection: Connection) throws -> [UniqueIndex] {
        let schema = try connection.schema()
        var result: [UniqueIndex] = []
        for table in Set(schema.objects(.index).map(\.tableName)) {
            for index in try schema.indexes(of: table) where index.isUnique && index.origin == .statement {
                let sql = index.sql ?? ""
                let condition = sql.firstRange(of: ")\n    WHERE ").map { String(sql[$0.upperBound...]) }
                result.append(
                    UniqueIndex(
                        name: index.name, table: table, columns: index.columns.map { $0.name ?? "" },
                        condition: condition, sql: sql))
            }
        }
        return result.sorted { $0.name < $1.name }
    }

    private static func defaults(_ tables: [String], _ schema: DatabaseSchema) throws -> [String: [String: String]] {
        var result: [String: [String: String]] = [:]
        for table in tables {
            for column in try schema.columns(of: table) where column.isOrdinary && column.defaultValue != nil {
                result[table, default: [:]][column.name] = column.defaultValue
            }
        }
        return result
    }

    // MARK: Making

    /// Makes the tables, in the transaction that is open.
    func make(on connection: Connection) throws {
        for statement in statements { try connection.execute(statement) }
        for (table, columns, rows) in rows {
            for row in rows {
                let places = row.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
                let statement = try connection.statement(
                    "INSERT INTO \(table.quotedIdentifier) (\(columns.joined(separator: ", "))) VALUES (\(places))")
                statement.bind(row)
                try statement.run()
            }
        }
    }

    /// Creates the indexes of references, unless they exist.
    func makeReferenceIndexes(on connection: Connection) throws {
        let schema = try connection.schema()
        for (name, sql) in referenceIndexes where schema.object(.index, named: name) == nil {
            try connection.execute(sql)
        }
    }

    /// Takes everything away again.
    func drop(from connection: Connection) throws {
        connection.forgetStatements()
        let tables = try connection.schema().tables().filter { !$0.isReserved }
        for table in tables.filter({ $0.kind == .virtual }) + tables.filter({ $0.kind == .table }) {
            connection.forgetStatements()
            try connection.execute("DROP TABLE main.\(table.name.quotedIdentifier)")
        }
    }

    /// Empties the tables of objects and of pairs, which are filled faster without their indexes.
    func empty(on connection: Connection) throws {
        if !hasObjects {
            for (name, _) in referenceIndexes {
                try connection.execute("DROP INDEX IF EXISTS main.\(name.quotedIdentifier)")
            }
        }
        for table in tables { try connection.execute("DELETE FROM main.\(table.quotedIdentifier)") }
    }
}
