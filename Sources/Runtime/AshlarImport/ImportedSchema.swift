import Ashlar
import AshlarSQLite
import StoreDescription
import SystemFoundation

/// The tables of a version of the model, as a store of that version has them by now.
struct ImportedSchema {
    /// A unique index, which holds what must be unique.
    struct UniqueIndex {
        var name: String
        var table: String
        var columns: [String]
        /// Of which rows it speaks; nil for all.
        var condition: String?
        var sql: String
    }

    private let statements: [String]
    /// The rows that the schema itself has: tables of letters.
    private let rows: [(table: String, columns: [String], rows: [[SQLiteValue]])]
    let uniqueIndexes: [UniqueIndex]
    /// The indexes by which what leads to an object is found: their names, and what makes them.
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
        // Unique indexes are made when it is known what keeps them from being.
        for index in uniqueIndexes { try connection.execute("DROP INDEX \(index.name.quotedIdentifier)") }
        referenceIndexes = try connection.rows(
            """
            SELECT "name", "sql" FROM "sqlite_schema" WHERE "type" = 'index' AND "name" GLOB 'reference$*' ORDER BY 1
            """
        ).map { ($0[0].storedText, $0[1].storedText) }
        statements = try Self.statements(connection, hasObjects: hasObjects)
        rows = try connection.rows(
            "SELECT \"name\" FROM \"sqlite_schema\" WHERE \"type\" = 'table' AND \"name\" GLOB 'ashlar$*'"
        ).map(\.[0].storedText).filter { $0 != "ashlar$metadata" }.map { name in
            let columns = try connection.rows("SELECT \"name\" FROM pragma_table_info(?1)", [.text(name)])
                .map(\.[0].storedText.quotedIdentifier)
            let rows = try connection.rows("SELECT \(columns.joined(separator: ", ")) FROM \(name.quotedIdentifier)")
            return (name, columns, rows)
        }
        defaults = try Self.defaults(tables, connection)
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
        let names = try connection.rows(
            """
            SELECT "name" FROM pragma_table_list WHERE "schema" = 'main' AND "type" = 'table'
                AND "name" NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND "name" NOT GLOB 'ashlar$*'
            """
        ).map(\.[0].storedText)
        for name in names where !held.contains(name) {
            connection.forgetStatements()
            try connection.execute("DROP TABLE \(name.quotedIdentifier)")
        }
    }

    private static func statements(_ connection: Connection, hasObjects: Bool) throws -> [String] {
        try connection.rows(
            """
            SELECT m."sql" FROM "sqlite_schema" AS m
            LEFT JOIN pragma_table_list AS l ON l."name" = m."name" AND l."schema" = 'main'
            WHERE m."sql" IS NOT NULL AND m."name" NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND l."type" IS NOT 'shadow'
                AND (?1 OR l."type" IS 'table')
            ORDER BY m."type" = 'trigger', m."type" = 'index', m."rootpage" = 0, m."rowid"
            """, [.integer(hasObjects ? 1 : 0)]
        ).map(\.[0].storedText)
    }

    private static func uniqueIndexes(_ connection: Connection) throws -> [UniqueIndex] {
        let found = try connection.rows(
            """
            SELECT i."name", m."tbl_name", m."sql" FROM "sqlite_schema" AS m
            JOIN pragma_index_list(m."tbl_name") AS i ON i."name" = m."name"
            WHERE m."type" = 'index' AND i."unique" AND i."origin" = 'c' ORDER BY 1
            """)
        return try found.map { row in
            let (name, table, sql) = (row[0].storedText, row[1].storedText, row[2].storedText)
            let columns = try connection.rows(
                "SELECT \"name\" FROM pragma_index_info(?1) ORDER BY \"seqno\"", [.text(name)])
            let condition = sql.firstRange(of: ")\n    WHERE ").map { String(sql[$0.upperBound...]) }
            return UniqueIndex(
                name: name, table: table, columns: columns.map(\.[0].storedText), condition: condition, sql: sql)
        }
    }

    private static func defaults(_ tables: [String], _ connection: Connection) throws -> [String: [String: String]] {
        var result: [String: [String: String]] = [:]
        for table in tables {
            for row in try connection.rows("SELECT \"name\", \"dflt_value\" FROM pragma_table_info(?1)", [.text(table)])
            {
                if case .text(let literal) = row[1] { result[table, default: [:]][row[0].storedText] = literal }
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

    /// Makes the indexes of references, where they are not there yet.
    func makeReferenceIndexes(on connection: Connection) throws {
        for (name, sql) in referenceIndexes {
            let isThere = try connection.integer(
                "SELECT 1 FROM main.\"sqlite_schema\" WHERE \"name\" = ?1", [.text(name)])
            if isThere == nil { try connection.execute(sql) }
        }
    }

    /// Takes everything away again.
    func drop(from connection: Connection) throws {
        connection.forgetStatements()
        let names = try connection.rows(
            """
            SELECT "name" FROM pragma_table_list WHERE "schema" = 'main' AND "type" IN ('table', 'virtual')
                AND "name" NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY "type" = 'table'
            """
        ).map(\.[0].storedText)
        for name in names {
            connection.forgetStatements()
            try connection.execute("DROP TABLE main.\(name.quotedIdentifier)")
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
