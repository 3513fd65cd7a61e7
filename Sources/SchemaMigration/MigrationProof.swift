import DataModel
import RelationalSchema

/// Runs a migration on a store in memory and compares what comes out with a store that was made new.
public struct MigrationProof {
    private let plan: MigrationPlan

    private var old: Version { plan.old }
    private var new: Version { plan.new }

    /// Prepares the proof of a plan that has no errors.
    public init(_ plan: MigrationPlan) {
        self.plan = plan
    }

    /// Runs the proof; no findings mean that the migration is right.
    ///
    /// The store has objects of all entities, other than those that a check of the migration itself refuses.
    public func run() -> Diagnostics {
        var diagnostics = Diagnostics()
        var emptyTables: Set<String> = []
        var fullTables: Set<String> = []
        do throws(ProofDatabase.Failure) {
            while true {
                let database = try ProofDatabase()
                try database.run("BEGIN")
                for sql in plan.source.statements { try database.run(sql) }
                try SampleRows(old, emptyTables: emptyTables, fullTables: fullTables).insert(into: database)
                try database.run("COMMIT")
                let before = try counts(database, old)
                if let entityName = try refusal(database) {
                    let tables = tables(of: entityName)
                    if !fullTables.isSuperset(of: tables) {
                        fullTables.formUnion(tables)
                    } else if let table = tables.first(where: { !emptyTables.contains($0) }) {
                        emptyTables.insert(table)
                    } else {
                        report("a check refuses a store without objects of '\(entityName)'", to: &diagnostics)
                        return diagnostics
                    }
                    continue
                }
                try compare(database, before, &diagnostics)
                return diagnostics
            }
        } catch let failure where failure.location != nil {
            report(failure, to: &diagnostics)
            return diagnostics
        } catch {
            report("SQLite refuses a statement: \(error.message)", notes: [error.sql], to: &diagnostics)
            return diagnostics
        }
    }

    /// The old tables whose objects a check may have looked at, in the order in which they are tried without any: that of
    /// the old entity of the name first, then those whose objects come to be in the table of the new one.
    private func tables(of entityName: String) -> [String] {
        let match = ModelMatch(old: old, new: new)
        let newTable = new.nodes[entityName]?.storage.tableName
        let others = newTable.flatMap { new.entityNames[$0] } ?? []
        let names = [entityName] + others.compactMap { match.oldEntityNames[$0] }.sorted()
        return names.reduce(into: []) { tables, name in
            guard let table = old.nodes[name]?.storage.tableName, !tables.contains(table) else { return }
            tables.append(table)
        }
    }

    /// Runs the migration; gives the entity whose objects a check refused, nil when all went well.
    private func refusal(_ database: ProofDatabase) throws(ProofDatabase.Failure) -> String? {
        try database.run("BEGIN IMMEDIATE")
        let letterTables = plan.letterTables
        for statement in letterTables.creations + plan.statements + letterTables.removals {
            let rows = try run(statement, database)
            if case .check(_, let entityName) = statement.purpose, !rows.isEmpty {
                return entityName
            }
        }
        try database.run("COMMIT")
        return nil
    }

    private func run(
        _ statement: MigrationStatement, _ database: ProofDatabase
    ) throws(ProofDatabase.Failure) -> [[String?]] {
        guard case .custom(let location) = statement.purpose else { return try database.run(statement.sql) }
        do {
            return try database.run(statement.sql)
        } catch {
            throw ProofDatabase.Failure(
                message: error.message, sql: error.sql, isConstraint: error.isConstraint, location: location)
        }
    }

    /// Whether rows come and go otherwise than planned.
    private var isCustom: Bool {
        plan.statements.contains { if case .custom = $0.purpose { true } else { false } }
    }

    private func compare(
        _ database: ProofDatabase, _ before: [String: Int], _ diagnostics: inout Diagnostics
    ) throws(ProofDatabase.Failure) {
        try compareSchemas(database, &diagnostics)
        let references = try database.run("PRAGMA foreign_key_check")
        if !references.isEmpty {
            let notes = references.map { "row \($0[1] ?? "") of '\($0[0] ?? "")' refers to no row of '\($0[2] ?? "")'" }
            report("references lead nowhere", notes: notes, to: &diagnostics)
        }
        let damages = try database.run("PRAGMA integrity_check").compactMap { $0[0] }.filter { $0 != "ok" }
        if !damages.isEmpty { report("the file is damaged", notes: damages, to: &diagnostics) }
        try compareRTrees(database, &diagnostics)
        try compareFullTextTables(database, &diagnostics)
        try compareDerivedColumns(database, &diagnostics)
        if !isCustom { try compareCounts(database, before, &diagnostics) }
    }

    /// Only what is written otherwise than in a new store has to be looked into.
    private func compareSchemas(
        _ database: ProofDatabase, _ diagnostics: inout Diagnostics
    ) throws(ProofDatabase.Failure) {
        let schema = plan.destination
        let names = try Catalogue.tables(of: database, writtenOtherwiseThanIn: schema)
        if names.isEmpty { return }
        let fresh = try ProofDatabase()
        for sql in schema.statements(ofTables: names) { try fresh.run(sql) }
        let expected = try Catalogue(fresh, names).facts
        let found = try Catalogue(database, names).facts
        let missing = expected.subtracting(found).sorted().map { "missing: \($0)" }
        let superfluous = found.subtracting(expected).sorted().map { "superfluous: \($0)" }
        if !missing.isEmpty || !superfluous.isEmpty {
            report("the schema differs from that of a new store", notes: missing + superfluous, to: &diagnostics)
        }
    }

    private func compareRTrees(
        _ database: ProofDatabase, _ diagnostics: inout Diagnostics
    ) throws(ProofDatabase.Failure) {
        for rtree in plan.destination.rtrees {
            let check = try database.run("SELECT rtreecheck(\(SQLText.literal(rtree.name)))")
            if check.first?.first != "ok" { report("R-tree '\(rtree.name)' is damaged", to: &diagnostics) }
            let identifier = SQLText.identifier(ColumnName.identifier)
            let covered = "SELECT \(identifier) FROM \(SQLText.identifier(rtree.tableName)) WHERE \(rtree.coverage)"
            let present = "SELECT \(identifier) FROM \(SQLText.identifier(rtree.name))"
            let differences = try database.run(
                "SELECT * FROM (\(covered) EXCEPT \(present)) UNION ALL SELECT * FROM (\(present) EXCEPT \(covered))")
            if !differences.isEmpty {
                report("R-tree '\(rtree.name)' and its table have different objects", to: &diagnostics)
            }
        }
    }

    private func compareFullTextTables(
        _ database: ProofDatabase, _ diagnostics: inout Diagnostics
    ) throws(ProofDatabase.Failure) {
        for table in plan.destination.fullTextTables {
            let name = SQLText.identifier(table.name)
            // A damaged one makes the statement fail.
            try database.run("INSERT INTO \(name) (\(name)) VALUES ('integrity-check')")
            let covered = "\(table.selection) WHERE \(table.coverage)"
            let present = "SELECT \(SQLText.identifiers(["rowid"] + table.virtualColumnNames)) FROM \(name)"
            let differences = try database.run(
                "SELECT * FROM (\(covered) EXCEPT \(present)) UNION ALL SELECT * FROM (\(present) EXCEPT \(covered))")
            if !differences.isEmpty {
                report("full-text index '\(table.name)' and its table have different texts", to: &diagnostics)
            }
        }
    }

    /// What triggers keep must be what it is computed to be from nothing.
    private func compareDerivedColumns(
        _ database: ProofDatabase, _ diagnostics: inout Diagnostics
    ) throws(ProofDatabase.Failure) {
        for column in plan.destination.derivedColumns where !column.isTime {
            let differences = try database.run(
                """
                SELECT \(SQLText.identifier(ColumnName.identifier)) FROM \(SQLText.identifier(column.tableName))
                WHERE \(SQLText.identifier(column.columnName)) IS NOT \(column.value)
                """)
            if !differences.isEmpty {
                report(
                    "'\(column.entityName).\(column.attributeName)' has not the values that it is derived from",
                    to: &diagnostics)
            }
        }
    }

    /// No object of an entity that goes on may be gone.
    private func compareCounts(
        _ database: ProofDatabase, _ before: [String: Int], _ diagnostics: inout Diagnostics
    ) throws(ProofDatabase.Failure) {
        let after = try counts(database, new)
        for name in new.names {
            let expected = plan.oldEntityNames[name].flatMap { before[$0] } ?? 0
            let found = after[name] ?? 0
            let table = new.nodes[name]?.storage.tableName ?? ""
            if plan.deduplicatedTables.contains(table) ? found > expected : expected != found {
                report("of \(expected) objects of '\(name)' \(found) came through", to: &diagnostics)
            }
        }
    }

    private func counts(
        _ database: ProofDatabase, _ version: Version
    ) throws(ProofDatabase.Failure) -> [String: Int] {
        var result: [String: Int] = [:]
        for (table, entityNames) in version.entityNames {
            let root = entityNames.first ?? table
            let entity = entityNames.count > 1 ? SQLText.identifier(ColumnName.entity) : "NULL"
            let rows = try database.run(
                "SELECT \(entity), count(*) FROM \(SQLText.identifier(table)) GROUP BY 1")
            for row in rows { result[row[0] ?? root] = row[1].flatMap { Int($0) } }
        }
        return result
    }

    private func report(_ failure: ProofDatabase.Failure, to diagnostics: inout Diagnostics) {
        guard let location = failure.location else { return }
        let (source, destination) = (plan.source.graph.model.name, plan.destination.graph.model.name)
        if failure.isConstraint {
            diagnostics.report(
                .migrationScriptMayFail, at: location,
                "This statement fails on objects that the version '\(source)' allows: \(failure.message)",
                notes: ["A store with such objects would not be migrated to '\(destination)' any more"])
        } else {
            diagnostics.report(
                .invalidMigrationScript, at: location,
                "SQLite refuses this statement on the way from '\(source)' to '\(destination)': \(failure.message)")
        }
    }

    private func report(_ message: String, notes: [String] = [], to diagnostics: inout Diagnostics) {
        let (source, destination) = (plan.source.graph.model, plan.destination.graph.model)
        diagnostics.report(
            .migrationUnproven, at: destination.location,
            "The migration from '\(source.name)' to '\(destination.name)' is not proven: \(message)", notes: notes)
    }
}
