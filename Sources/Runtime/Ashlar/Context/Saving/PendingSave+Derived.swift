import AshlarSQLite

/// Derived values that change with a save, also in rows that the save does not write: for example, the count of an
/// author's posts changes with a new post.
///
/// Triggers of the store derive the values. Temporary triggers, which only the writing connection has, record the
/// affected rows, so that only these are read. A table without derived columns has neither.
extension PendingSave {
    /// Creates the temporary triggers, once for each connection.
    func prepareToNoteDerivedChanges(_ connection: Connection) throws(SQLiteError) {
        let roots = container.model.rootsWithDerivedColumns
        guard !roots.isEmpty, !connection.state.notesDerivedChanges else { return }
        try connection.execute(
            """
            CREATE TEMP TABLE IF NOT EXISTS "derived$" (
                "root" INTEGER NOT NULL, "row" INTEGER NOT NULL, PRIMARY KEY ("root", "row")
            ) STRICT, WITHOUT ROWID
            """)
        for root in roots where container.storeNumber(of: root.number.root) != 0 {
            let columns = root.columns.filter(\.isDerived).map(\.name.quotedIdentifier).joined(separator: ", ")
            let number = root.number.root
            // An OR IGNORE would be overridden by the conflict clause of the statement that fires the trigger.
            try connection.execute(
                """
                CREATE TEMP TRIGGER IF NOT EXISTS "derived$\(number)"
                AFTER UPDATE OF \(columns) ON \(container.schemaName(of: number)).\(root.tableName.quotedIdentifier)
                WHEN NOT EXISTS (SELECT 1 FROM "derived$" WHERE "root" = \(number) AND "row" = NEW."id$")
                BEGIN
                    INSERT INTO "derived$" ("root", "row") VALUES (\(number), NEW."id$");
                END
                """)
        }
        connection.state.notesDerivedChanges = true
    }

    /// Collects the recorded rows, within the transaction.
    func noteDerivedChanges(_ connection: Connection) throws(SQLiteError) {
        guard connection.state.notesDerivedChanges else { return }
        derivedChanges = [:]
        let statement = try connection.statement("SELECT \"root\", \"row\" FROM temp.\"derived$\"")
        defer { statement.reset() }
        let row = Row(statement: statement.handle, store: 0)
        while try statement.step() {
            guard let root = row.optionalInt64(0), let rowID = row.optionalInt64(1) else { continue }
            derivedChanges[UInt16(truncatingIfNeeded: root), default: []].insert(rowID)
        }
        statement.reset()
        try connection.execute("DELETE FROM temp.\"derived$\"")
    }

    /// The rows whose derived values changed, by the numbers of their root entities. The objects must already have
    /// permanent identifiers.
    var derivedRows: [UInt16: Set<Int64>] {
        var changes = derivedChanges
        // A generated column changes with the other columns of its row, without a trigger.
        for object in updates.lazy.map(\.object) + inserts where object.entity.hasDerivedColumns {
            changes[object.rootNumber, default: []].insert(object.record.rowID)
        }
        return changes
    }
}
