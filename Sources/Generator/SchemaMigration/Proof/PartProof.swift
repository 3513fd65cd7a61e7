import DataModel
import RelationalSchema

/// Runs a part of a migration on a store in memory and compares the result with a new store.
struct PartProof {
    let plan: MigrationPlan
    let part: ProofPart

    private var old: Version { plan.old }
    private var new: Version { plan.new }

    /// Runs the proof; no findings mean that the part is right.
    func run() -> Diagnostics {
        var diagnostics = Diagnostics()
        var emptyEntities: Set<String> = []
        var fullTables: Set<String> = []
        do throws(ProofDatabase.Failure) {
            while true {
                let database = try ProofDatabase()
                try database.run("BEGIN")
                for sql in part.creations { try database.run(sql) }
                try SampleRows(old, part, emptyEntities: emptyEntities, fullTables: fullTables)
                    .insert(into: database)
                try database.run("COMMIT")
                let expected = try expectedCounts(database)
                var trace = ScriptTrace()
                if let entityName = try refusal(database, &trace) {
                    let tables = tables(of: entityName)
                    let candidates =
                        [[plan.oldEntityNames[entityName] ?? entityName]] + tables.map(entityNames(ofTable:))
                    if !fullTables.isSuperset(of: tables) {
                        fullTables.formUnion(tables)
                    } else if let names = candidates.first(where: { !emptyEntities.isSuperset(of: $0) }) {
                        emptyEntities.formUnion(names)
                    } else {
                        report("a check refuses a store without objects of '\(entityName)'", to: &diagnostics)
                        return diagnostics
                    }
                    continue
                }
                try compare(database, expected, trace, &diagnostics)
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

    /// The old tables whose objects a check may concern, in the order in which the proof tries to empty them. The table
    /// of the old entity with this name is first. Those whose objects move to the table of the new entity follow.
    private func tables(of entityName: String) -> [String] {
        let newTable = new.nodes[entityName]?.storage.tableName
        let others = newTable.flatMap { new.entityNames[$0] } ?? []
        let names = [entityName] + others.compactMap { plan.oldEntityNames[$0] }.sorted()
        return names.reduce(into: []) { tables, name in
            guard let table = old.nodes[name]?.storage.tableName, !tables.contains(table) else { return }
            tables.append(table)
        }
    }

    private func entityNames(ofTable oldTable: String) -> [String] { old.entityNames[oldTable] ?? [] }

    /// Runs the migration. Returns the entity whose objects a check refused, and nil if no check refused any.
    private func refusal(
        _ database: ProofDatabase, _ trace: inout ScriptTrace
    ) throws(ProofDatabase.Failure) -> String? {
        try database.run("BEGIN IMMEDIATE")
        for statement in part.statements {
            let rows = try run(statement, database, &trace)
            if case .check(_, let entityName) = statement.purpose, !rows.isEmpty {
                return entityName
            }
        }
        try database.run("COMMIT")
        return nil
    }

    private func run(
        _ statement: MigrationStatement, _ database: ProofDatabase, _ trace: inout ScriptTrace
    ) throws(ProofDatabase.Failure) -> [[String?]] {
        guard case .custom(let location) = statement.purpose else { return try database.run(statement.sql) }
        return try trace.follow(location, database) { () throws(ProofDatabase.Failure) -> [[String?]] in
            do throws(ProofDatabase.Failure) {
                return try database.run(statement.sql)
            } catch {
                var failure = error
                failure.location = location.moved(toByte: error.place, of: statement.sql)
                throw failure
            }
        }
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

    /// Reports a problem that a statement of the author's leaves.
    func report(
        _ message: String, at location: SourceLocation, notes: [String], to diagnostics: inout Diagnostics
    ) {
        let (source, destination) = (plan.source.graph.model.name, plan.destination.graph.model.name)
        diagnostics.report(
            .invalidMigrationScript, at: location, "On the way from '\(source)' to '\(destination)', \(message)",
            notes: notes)
    }

    func report(_ message: String, notes: [String] = [], to diagnostics: inout Diagnostics) {
        let (source, destination) = (plan.source.graph.model, plan.destination.graph.model)
        diagnostics.report(
            .migrationUnproven, at: destination.location,
            "The migration from '\(source.name)' to '\(destination.name)' is not proven: \(message)", notes: notes)
    }
}

extension SourceLocation {
    /// The place of a byte of a text that begins at the location.
    fileprivate func moved(toByte offset: Int, of text: String) -> SourceLocation {
        var result = self
        for byte in text.utf8.prefix(offset) {
            if byte == UInt8(ascii: "\n") {
                result.line += 1
                result.column = 1
            } else {
                result.column += 1
            }
        }
        return result
    }
}
