import AshlarSQLite
import SQLQuoting

/// The schema of a store of Core Data: its entities with their numbers, and its tables with their columns.
///
/// Core Data and SwiftData write the same files. The content is not trusted, since any program may have written it.
package struct CoreDataSchema: Sendable, Hashable {
    /// An entity as the store numbers it.
    package struct Entity: Sendable, Hashable {
        package var name: String
        package var number: Int64
        /// The number of the entity above it; 0 for a root.
        package var parentNumber: Int64
        /// The greatest number that an object ever had, which a root keeps for all below it.
        package var greatestKey: Int64
    }

    /// The entities of the model, by name.
    package var entities: [String: Entity]
    /// The names of the columns of each ordinary table.
    package var tables: [String: [String]]
    /// Tables that cannot be read as such, since they are views or virtual tables or compute a column, each with why.
    package var unusable: [String: String]

    /// From this number on entities are Core Data's own, such as those of the history.
    private static let firstReservedNumber: Int64 = 16000
    static let entityTable = "Z_PRIMARYKEY"
    static let metadataTable = "Z_METADATA"

    /// Reads the schema of a database that is attached to a connection under a name.
    ///
    /// - Throws: ``CoreDataStoreError`` if it is not a store of Core Data's, or `SQLiteError` if it cannot be read.
    package init(_ connection: Connection, in schemaName: String = "main") throws {
        let schema = SQLQuotation.identifier(schemaName)
        guard try connection.isCoreDataStore(in: schemaName) else { throw CoreDataStoreError.notACoreDataStore }
        tables = [:]
        unusable = [:]
        let found = try connection.schema(of: schemaName)
        for table in try found.tables() {
            let columns = try found.columns(of: table.name)
            let key = columns.first { $0.name == "Z_PK" }
            if table.kind != .table {
                unusable[table.name] = "it is a \(table.kind)"
            } else if let column = columns.last(where: { !$0.isOrdinary }) {
                unusable[table.name] = "its column \(column.name) is computed"
            } else if table.isWithoutRowID
                || key.map({ $0.keyPosition != 1 || $0.type.uppercased() != "INTEGER" }) ?? false
            {
                // Objects are looked up by the number, which would take as long as there are rows.
                unusable[table.name] = "its rows are not numbered by Z_PK"
            } else {
                tables[table.name] = columns.map(\.name)
            }
        }
        for name in [Self.entityTable, Self.metadataTable] {
            if let reason = unusable[name] { throw CoreDataStoreError.unusableTable(name, reason: reason) }
        }
        entities = try Self.entities(connection, schema)
    }

    private static func entities(_ connection: Connection, _ schema: String) throws -> [String: Entity] {
        var entities: [String: Entity] = [:]
        var numbers: Set<Int64> = []
        let rows = try connection.rows(
            "SELECT \"Z_ENT\", \"Z_NAME\", \"Z_SUPER\", \"Z_MAX\" FROM \(schema).\(SQLQuotation.identifier(entityTable))"
        )
        for row in rows {
            guard case .integer(let number) = row[0], case .text(let name) = row[1] else {
                throw CoreDataStoreError.invalidEntityTable("a row of \(entityTable) has no number or no name")
            }
            if number >= firstReservedNumber { continue }
            let parentNumber = if case .integer(let number) = row[2] { number } else { Int64(0) }
            let greatestKey = if case .integer(let number) = row[3] { number } else { Int64(0) }
            guard numbers.insert(number).inserted, entities[name] == nil, number > 0 else {
                throw CoreDataStoreError.invalidEntityTable(
                    "\(entityTable) has \(name), or the number \(number), twice")
            }
            entities[name] = Entity(
                name: name, number: number, parentNumber: parentNumber, greatestKey: max(0, greatestKey))
        }
        return entities
    }
}

/// The reason for which a file cannot be read as a store of Core Data's.
package enum CoreDataStoreError: Error, Sendable, Hashable {
    /// It lacks the tables of such a store.
    case notACoreDataStore
    /// A required table does not hold rows of its own.
    case unusableTable(String, reason: String)
    /// The list of entities contradicts itself.
    case invalidEntityTable(String)
    /// The store's metadata is not a property list.
    case invalidMetadata(String)
    /// The tables of the persistent history are not as Core Data has them.
    case unusableHistory(String)
}
