import DataModel
import RelationalSchema
import SchemaMigration
import TestDatabase
import Testing

/// A store of one version, and its migration to the next as in the runtime.
struct Upgrade {
    /// A row that a check found, and the check's reason.
    struct Refusal: Equatable {
        var entityName: String
        var identifier: String?
        var reason: String
    }

    let plan: MigrationPlan
    let database: Database

    init(_ old: [Entity], _ new: [Entity], rows: [String] = []) throws {
        try self.init(makePlan(old, new), rows: rows)
    }

    init(_ plan: MigrationPlan, rows: [String]) throws {
        self.plan = plan
        database = try Database()
        try database.run(plan.source.statements)
        try database.run(rows)
    }

    /// Runs all statements in one transaction. If a check fails, restores the store and returns the refusal.
    func run() throws -> Refusal? {
        try database.run("BEGIN IMMEDIATE")
        for statement in plan.statements {
            let rows = try database.run(statement.sql)
            if case .check(let reason, let entityName) = statement.purpose, let row = rows.first {
                try database.run("ROLLBACK")
                return Refusal(entityName: entityName, identifier: row.first ?? nil, reason: reason)
            }
        }
        try database.run("COMMIT")
        return nil
    }
}

func makeModel(_ name: String, _ entities: [Entity]) -> Model { Model(name: name, entities: entities) }

func makePlan(_ old: [Entity], _ new: [Entity]) -> MigrationPlan {
    MigrationPlan(from: ModelGraph(makeModel("Old", old)), to: ModelGraph(makeModel("New", new)))
}

/// Migrates a store with some rows, and expects that nothing fails and that the migration is proven.
func migrate(
    _ old: [Entity], to new: [Entity], rows: String..., sourceLocation: Testing.SourceLocation = #_sourceLocation
) throws -> Database {
    let upgrade = try Upgrade(old, new, rows: rows)
    expectSound(upgrade, sourceLocation: sourceLocation)
    return upgrade.database
}

/// Runs a migration, and expects a sound result.
func expectSound(_ upgrade: Upgrade, sourceLocation: Testing.SourceLocation = #_sourceLocation) {
    do {
        let errors = upgrade.plan.diagnostics.all.filter { $0.severity == .error }
        #expect(errors.isEmpty, sourceLocation: sourceLocation)
        #expect(try upgrade.run() == nil, sourceLocation: sourceLocation)
        #expect(try upgrade.database.lines("PRAGMA foreign_key_check") == [], sourceLocation: sourceLocation)
        #expect(try upgrade.database.lines("PRAGMA integrity_check") == ["ok"], sourceLocation: sourceLocation)
        expectProven(upgrade.plan, sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
}

func expectProven(_ plan: MigrationPlan, sourceLocation: Testing.SourceLocation = #_sourceLocation) {
    let findings = MigrationProof(plan).run().all.map(\.description)
    #expect(findings == [], sourceLocation: sourceLocation)
}

/// The reason to refuse the migration of a store with some rows.
func refusal(_ old: [Entity], to new: [Entity], rows: String...) throws -> Upgrade.Refusal? {
    try Upgrade(old, new, rows: rows).run()
}

/// The statements of a migration.
func statements(_ old: [Entity], to new: [Entity]) -> [String] { makePlan(old, new).statements.map(\.sql) }
