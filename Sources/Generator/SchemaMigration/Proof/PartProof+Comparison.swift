import DataModel
import RelationalSchema

extension PartProof {
    /// Whether statements of the author may add and remove rows that the plan does not.
    private var isCustom: Bool {
        plan.statements.contains { if case .custom = $0.purpose { true } else { false } }
    }

    /// Compares a migrated store with the expected result.
    ///
    /// - Parameters:
    ///   - expected: the expected number of objects of each new entity.
    ///   - trace: the changes that the author's statements made.
    func compare(
        _ database: ProofDatabase, _ expected: [String: Int], _ trace: ScriptTrace, _ diagnostics: inout Diagnostics
    ) throws(ProofDatabase.Failure) {
        try compareSchemas(database, trace, &diagnostics)
        try compareReferences(database, trace, &diagnostics)
        let damages = try database.run("PRAGMA integrity_check").compactMap { $0[0] }.filter { $0 != "ok" }
        if !damages.isEmpty { report("the file is damaged", notes: damages, to: &diagnostics) }
        try compareRTrees(database, &diagnostics)
        try compareFullTextTables(database, &diagnostics)
        try compareDerivedColumns(database, &diagnostics)
        if !isCustom { try compareCounts(database, expected, &diagnostics) }
    }

    private func compareReferences(
        _ database: ProofDatabase, _ trace: ScriptTrace, _ diagnostics: inout Diagnostics
    ) throws(ProofDatabase.Failure) {
        var notes: [SourceLocation?: [String]] = [:]
        for (reference, row) in try ScriptTrace.brokenReferences(database) {
            let location = trace.references[reference] ?? trace.references.values.max()
            let place = row.map { "row \($0)" } ?? "a row"
            notes[location, default: []].append(
                "\(place) of '\(reference.table)' refers to no row of '\(reference.target)'")
        }
        for (location, notes) in notes {
            if let location {
                report(
                    "this statement leaves references that lead nowhere", at: location, notes: notes.sorted(),
                    to: &diagnostics)
            } else {
                report("references lead nowhere", notes: notes.sorted(), to: &diagnostics)
            }
        }
    }

    /// Only tables whose definitions differ from a new store's are compared in detail.
    private func compareSchemas(
        _ database: ProofDatabase, _ trace: ScriptTrace, _ diagnostics: inout Diagnostics
    ) throws(ProofDatabase.Failure) {
        let names = try Catalogue.tables(of: database, writtenOtherwiseThanIn: part.destination)
            .subtracting(part.surroundings)
        if names.isEmpty { return }
        let fresh = try ProofDatabase()
        for sql in part.destination.selection(ofTablesNamed: names).statements { try fresh.run(sql) }
        for name in names.filter({ trace.tables[$0] != nil }).sorted() {
            let differences = try Self.differences(database, fresh, [name])
            guard let location = trace.tables[name], !differences.isEmpty else { continue }
            let isOurs = part.destination.tables.contains { $0.name == name }
            report(
                isOurs
                    ? "this statement leaves the table '\(name)' otherwise than in a new store"
                    : "this statement leaves '\(name)' behind: drop it at the end",
                at: location, notes: isOurs ? differences : [], to: &diagnostics)
        }
        let differences = try Self.differences(database, fresh, names.filter { trace.tables[$0] == nil })
        if !differences.isEmpty {
            report("the schema differs from that of a new store", notes: differences, to: &diagnostics)
        }
    }

    /// Returns the differences between the descriptions of some tables in two databases.
    private static func differences(
        _ database: ProofDatabase, _ fresh: ProofDatabase, _ names: Set<String>
    ) throws(ProofDatabase.Failure) -> [String] {
        if names.isEmpty { return [] }
        let expected = try Catalogue(fresh, names).facts
        let found = try Catalogue(database, names).facts
        return expected.subtracting(found).sorted().map { "missing: \($0)" }
            + found.subtracting(expected).sorted().map { "superfluous: \($0)" }
    }

    private func compareRTrees(
        _ database: ProofDatabase, _ diagnostics: inout Diagnostics
    ) throws(ProofDatabase.Failure) {
        for rtree in part.destination.rtrees {
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
        for table in part.destination.fullTextTables {
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

    /// Compares the values that triggers maintain with values computed from scratch.
    private func compareDerivedColumns(
        _ database: ProofDatabase, _ diagnostics: inout Diagnostics
    ) throws(ProofDatabase.Failure) {
        for column in part.destination.derivedColumns where !column.isTime {
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

    /// No objects may be missing except those that are to be deleted.
    private func compareCounts(
        _ database: ProofDatabase, _ expected: [String: Int], _ diagnostics: inout Diagnostics
    ) throws(ProofDatabase.Failure) {
        let after = try objects(database, part.destination, plan.new).mapValues(\.count)
        for name in part.destination.tables.flatMap({ plan.new.entityNames[$0.name] ?? [] }) {
            let expected = expected[name] ?? 0
            let found = after[name] ?? 0
            if plan.reducedEntityNames.contains(name) ? found > expected : expected != found {
                report("of \(expected) objects of '\(name)' \(found) came through", to: &diagnostics)
            }
        }
    }
}
