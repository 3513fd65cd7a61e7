import AshlarSQLite

/// The files of values that a batch operation replaces or deletes, including those of rows that deletion rules affect.
///
/// Temporary triggers record them. The triggers exist only within the transaction, and only for tables with attributes
/// that store large values in files.
struct RetiredFiles {
    private let tables: [(name: String, columns: [String])]
    /// The schema name of the written store in its connections.
    private let schemaName: String

    /// - Parameter roots: The root entities whose rows the operation may change or delete. They belong to one store.
    init(_ container: ModelContainer, _ roots: Set<UInt16>) {
        let model = container.model
        schemaName = roots.first.map(container.schemaName) ?? "main"
        tables = roots.sorted().compactMap { root in
            let entities = model.entities.filter { $0.number.root == root }
            let columns = Set(
                entities.flatMap { entity in entity.schema.externalColumns.map { entity.columns[$0].name } })
            return columns.isEmpty ? nil : (model.entity(root).tableName, columns.sorted())
        }
    }

    /// Runs a closure that writes. After the commit, the files that no row refers to any more are deleted.
    func collect<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result {
        guard !tables.isEmpty, let externalData = connection.externalData(of: schemaName),
            try !connection.keepsReplacedFiles(in: schemaName)
        else { return try body() }
        try connection.execute("CREATE TEMP TABLE \"retired$\" (\"value\" BLOB) STRICT")
        for (number, table) in tables.enumerated() {
            for (position, column) in table.columns.map(\.quotedIdentifier).enumerated() {
                try create("\(number)$\(position)", "\(schemaName).\(table.name.quotedIdentifier)", column, connection)
            }
        }
        let result = try body()
        let statement = try connection.statement("SELECT \"value\" FROM temp.\"retired$\"")
        do {
            defer { statement.reset() }
            while try statement.step() {
                if let name = statement.externalFileName(0) { try externalData.retire(name) }
            }
        }
        for (number, table) in tables.enumerated() {
            for position in table.columns.indices {
                try connection.execute("DROP TRIGGER temp.\"retired$update$\(number)$\(position)\"")
                try connection.execute("DROP TRIGGER temp.\"retired$delete$\(number)$\(position)\"")
            }
        }
        try connection.execute("DROP TABLE temp.\"retired$\"")
        return result
    }

    private func create(_ suffix: String, _ table: String, _ column: String, _ connection: Connection) throws {
        let isReference = TaggedBlob.lengthCondition("OLD.\(column)")
        let note = "BEGIN INSERT INTO \"retired$\" (\"value\") VALUES (OLD.\(column)); END"
        try connection.execute(
            "CREATE TEMP TRIGGER \"retired$delete$\(suffix)\" AFTER DELETE ON \(table) WHEN \(isReference) \(note)"
        )
        try connection.execute(
            "CREATE TEMP TRIGGER \"retired$update$\(suffix)\" AFTER UPDATE OF \(column) ON \(table) "
                + "WHEN \(isReference) AND OLD.\(column) IS NOT NEW.\(column) \(note)")
    }
}
