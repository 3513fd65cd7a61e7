import AshlarSQLite

/// Deletes the rows of a descriptor, or some of them, within a transaction.
struct BatchDeletion<Model: PersistentModel> {
    let descriptor: FetchDescriptor<Model>
    let container: ModelContainer
    let resultType: BatchResultType
    let plan: DeletionPlan
    private let files: RetiredFiles
    private let time: FetchTime
    /// The number of rows that one statement deletes when there are very many. SQLite keeps the rowids of all rows that
    /// a statement deletes in memory, 24 bytes each.
    var rowsOfSlice: Int64 = 100_000

    init(_ request: BatchDeleteRequest<Model>, _ container: ModelContainer) {
        descriptor = request.descriptor
        resultType = request.options.resultType
        self.container = container
        time = FetchTime(Model._ashlarEntity, in: container)
        plan = DeletionPlan(Model._ashlarEntity, container.model)
        files = RetiredFiles(container, plan.deletedRoots)
    }

    private var model: ModelDescription { container.model }
    private var entity: EntityDescription { Model._ashlarEntity }

    func run(_ connection: Connection, _ range: BatchRange) throws -> BatchResult {
        try files.collect(connection) {
            if plan.isLeftToForeignKeys {
                // A savepoint makes SQLite write the old content of all changed pages to a file until its release.
                if !plan.hasChains { return try deleteAtOnce(connection, range) }
                try connection.execute("SAVEPOINT \"delete$\"")
                do {
                    let result = try deleteAtOnce(connection, range)
                    try connection.execute("RELEASE \"delete$\"")
                    return result
                } catch let error as SQLiteError where error.code == SQLITE_ERROR {
                    // A chain of rows is longer than the depth limit of SQLite's cascades.
                    try connection.execute("ROLLBACK TO \"delete$\"")
                    try connection.execute("RELEASE \"delete$\"")
                }
            }
            return try deleteCollected(connection, range)
        }
    }

    private func deleteAtOnce(_ connection: Connection, _ range: BatchRange) throws -> BatchResult {
        var sql = SQLStatement(time: time)
        let condition = try descriptor.batchCondition(&sql, range)
        if try range.through == .max && mayBeMany(condition, connection) {
            return try deleteInSlices(sql, condition, connection)
        }
        sql.text = "DELETE FROM \(entity.tableName.quotedIdentifier)"
        if !condition.isEmpty { sql.text += " WHERE " + condition }
        return try container.runBatch(sql, entity, resultType, connection)
    }

    // MARK: Slices

    /// Returns whether there may be too many rows for one statement.
    private func mayBeMany(_ condition: String, _ connection: Connection) throws -> Bool {
        let table = entity.tableName.quotedIdentifier
        let distance = try connection.integer(
            "SELECT (SELECT max(\"id$\") FROM \(table)) - (SELECT min(\"id$\") FROM \(table))")
        if distance ?? 0 < 2 * rowsOfSlice { return false }
        // SQLite empties a table that nothing depends on without reading its rows.
        return try !condition.isEmpty
            || !connection.rows("EXPLAIN DELETE FROM \(table)").contains { $0[1].text == "Clear" }
    }

    /// Deletes rows by several statements, after writing their rowids to a temporary table.
    private func deleteInSlices(
        _ rows: SQLStatement, _ condition: String, _ connection: Connection
    ) throws -> BatchResult {
        let table = entity.tableName.quotedIdentifier
        try connection.execute("CREATE TEMP TABLE \"deleted$\" (\"row\" INTEGER PRIMARY KEY) STRICT")
        let collecting = try connection.statement(
            "INSERT INTO temp.\"deleted$\" (\"row\") SELECT \(table).\"id$\" FROM \(table)"
                + (condition.isEmpty ? "" : " WHERE " + condition) + " ORDER BY \(table).\"id$\"")
        collecting.bind(rows.values)
        try collecting.run()
        var result = BatchResult(count: 0, identifiers: resultType == .identifiers ? [] : nil)
        var last = Int64.min
        while let end = try connection.integer(
            """
            SELECT max("row") FROM (
                SELECT "row" FROM temp."deleted$" WHERE "row" > ?1 ORDER BY "row" LIMIT \(rowsOfSlice))
            """, [.integer(last)])
        {
            var sql = SQLStatement(time: time)
            let (after, through) = (sql.parameter(.integer(last)), sql.parameter(.integer(end)))
            sql.text =
                "DELETE FROM \(table) WHERE \"id$\" IN "
                + "(SELECT \"row\" FROM temp.\"deleted$\" WHERE \"row\" > \(after) AND \"row\" <= \(through))"
            let slice = try container.runBatch(sql, entity, resultType, connection)
            result.count += slice.count
            result.identifiers? += slice.identifiers ?? []
            last = end
        }
        try connection.execute("DROP TABLE temp.\"deleted$\"")
        return result
    }

    // MARK: Collected rows

    private func deleteCollected(_ connection: Connection, _ range: BatchRange) throws -> BatchResult {
        try connection.execute(
            """
            CREATE TEMP TABLE "deleted$" (
                "root" INTEGER NOT NULL, "row" INTEGER NOT NULL, "step" INTEGER NOT NULL, PRIMARY KEY ("root", "row")
            ) STRICT, WITHOUT ROWID
            """)
        try connection.execute("CREATE INDEX temp.\"deleted$step\" ON \"deleted$\" (\"step\", \"root\")")
        let count = try collect(connection, range)
        let identifiers = resultType == .identifiers ? try collectedIdentifiers(connection) : nil
        try followCascades(connection)
        try checkDenials(connection)
        try delete(connection)
        try connection.execute("DROP TABLE temp.\"deleted$\"")
        return BatchResult(count: count, identifiers: identifiers)
    }

    private func collect(_ connection: Connection, _ range: BatchRange) throws -> Int {
        var sql = SQLStatement(time: time)
        let condition = try descriptor.batchCondition(&sql, range)
        let table = entity.tableName.quotedIdentifier
        sql.text =
            "INSERT INTO temp.\"deleted$\" (\"root\", \"row\", \"step\") "
            + "SELECT \(plan.root), \(table).\"id$\", 0 FROM \(table)"
        if !condition.isEmpty { sql.text += " WHERE " + condition }
        let statement = try connection.statement(sql.text)
        statement.bind(sql.values)
        try statement.run()
        return connection.changes
    }

    private func collectedIdentifiers(_ connection: Connection) throws -> [PersistentIdentifier] {
        let table = entity.tableName.quotedIdentifier
        let discriminator = entity.hasDiscriminator ? ", \(table).\"entity$\"" : ""
        let statement = try connection.statement(
            "SELECT \"row\"\(discriminator) FROM temp.\"deleted$\" JOIN \(table) ON \(table).\"id$\" = \"row\" "
                + "ORDER BY \"row\"")
        defer { statement.reset() }
        return try container.identifiers(of: statement, entity)
    }

    /// Adds the rows that cascades delete, step by step, until no new ones are found.
    private func followCascades(_ connection: Connection) throws {
        let cascades = plan.cascades
        var step = 0
        var isGrowing = !cascades.isEmpty
        while isGrowing {
            isGrowing = false
            for edge in cascades {
                let statement = try connection.statement(
                    """
                    INSERT INTO temp."deleted$" ("root", "row", "step")
                    SELECT DISTINCT \(edge.destination), "pair"."other", \(step + 1)
                    FROM temp."deleted$" AS "from" CROSS JOIN (\(edge.pairs(model))) AS "pair"
                        ON "pair"."owner" = "from"."row"
                    WHERE "from"."step" = ?1 AND "from"."root" = \(edge.owner)
                    AND NOT EXISTS (SELECT 1 FROM temp."deleted$" AS "known"
                        WHERE "known"."root" = \(edge.destination) AND "known"."row" = "pair"."other")
                    """)
                statement.bind(Int64(step), 1)
                try statement.run()
                if connection.changes > 0 { isGrowing = true }
            }
            step += 1
        }
    }

    private func checkDenials(_ connection: Connection) throws {
        for edge in plan.denials {
            let row = try connection.rows(
                """
                SELECT "from"."row", "pair"."other" FROM temp."deleted$" AS "from" CROSS JOIN (\(edge.pairs(model))) AS "pair"
                    ON "pair"."owner" = "from"."row"
                WHERE "from"."root" = \(edge.owner)
                AND NOT EXISTS (SELECT 1 FROM temp."deleted$" AS "known"
                    WHERE "known"."root" = \(edge.destination) AND "known"."row" = "pair"."other")
                LIMIT 1
                """
            ).first
            guard let row, case .integer(let owner) = row[0], case .integer(let other) = row[1] else { continue }
            let destination = model.entity(edge.destination)
            if edge.rule != .deny, let relationship = edge.requiredInverse {
                throw BatchError.brokenReference(
                    entity: destination.name, relationship: relationship,
                    object: PersistentIdentifier(
                        rowID: other, store: container.storeNumber(of: destination.number.root),
                        entity: destination.number))
            }
            let number = model.entity(named: edge.entity)?.number ?? entity.number
            throw BatchError.deletionDenied(
                entity: edge.entity, relationship: edge.relationship,
                object: PersistentIdentifier(
                    rowID: owner, store: container.storeNumber(of: number.root), entity: number))
        }
    }

    private func delete(_ connection: Connection) throws {
        try connection.execute("SAVEPOINT \"delete$\"")
        do {
            try deleteRows(connection)
        } catch let error as SQLiteError where error.code == SQLITE_ERROR {
            // The depth of SQLite's cascades is limited. The rows are all deleted, so that their references to each
            // other can go first.
            try connection.execute("ROLLBACK TO \"delete$\"")
            try detachRows(connection)
            try deleteRows(connection)
        }
        try connection.execute("RELEASE \"delete$\"")
    }

    private func deleteRows(_ connection: Connection) throws {
        for root in plan.deletedRoots.sorted() {
            try connection.statement(
                "DELETE FROM \(model.entity(root).tableName.quotedIdentifier) WHERE \"id$\" IN "
                    + "(SELECT \"row\" FROM temp.\"deleted$\" WHERE \"root\" = \(root))"
            ).run()
        }
    }

    private func detachRows(_ connection: Connection) throws {
        for edge in plan.cascades {
            guard case .referring(let column) = edge.storage else { continue }
            let table = model.entity(edge.destination).tableName
            let isRequired = model.entities.contains { entity in
                entity.tableName == table && !entity.hasDiscriminator
                    && entity.columns.contains { $0.name == column && !$0.isOptional }
            }
            // A row with a required reference to its own table may refer to itself.
            if isRequired, edge.owner != edge.destination { continue }
            try connection.statement(
                "UPDATE \(table.quotedIdentifier) SET \(column.quotedIdentifier) = \(isRequired ? "\"id$\"" : "NULL") "
                    + "WHERE \(column.quotedIdentifier) IS NOT NULL AND \"id$\" IN "
                    + "(SELECT \"row\" FROM temp.\"deleted$\" WHERE \"root\" = \(edge.destination))"
            ).run()
        }
    }
}

extension ModelContainer {
    /// Runs a statement that deletes or updates rows of an entity's table.
    func runBatch(
        _ sql: SQLStatement, _ entity: EntityDescription, _ resultType: BatchResultType, _ connection: Connection
    ) throws -> BatchResult {
        var text = sql.text
        if resultType == .identifiers {
            text += " RETURNING \"id$\"" + (entity.hasDiscriminator ? ", \"entity$\"" : "")
        }
        let statement = try connection.statement(text)
        statement.bind(sql.values)
        guard resultType == .identifiers else {
            try statement.run()
            return BatchResult(count: connection.changes, identifiers: nil)
        }
        defer { statement.reset() }
        let identifiers = try identifiers(of: statement, entity).sorted()
        return BatchResult(count: identifiers.count, identifiers: identifiers)
    }

    /// Returns the identifiers of a statement's rows, whose columns are the rowid and, in a hierarchy, the
    /// discriminator.
    func identifiers(of statement: Statement, _ entity: EntityDescription) throws -> [PersistentIdentifier] {
        let store = storeNumber(of: entity.number.root)
        let row = Row(statement: statement.handle, store: store)
        var result: [PersistentIdentifier] = []
        while try statement.step() {
            guard let rowID = row.optionalInt64(0) else { continue }
            var number = entity.number
            if entity.hasDiscriminator {
                let name = row.optionalString(1)
                number =
                    name.flatMap { model.entity(named: $0)?.number }
                    ?? EntityNumber(root: number.root, entity: number.root)
            }
            result.append(PersistentIdentifier(rowID: rowID, store: store, entity: number))
        }
        return result
    }
}
