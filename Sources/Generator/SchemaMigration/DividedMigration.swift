import DataModel
import RelationalSchema

/// A migration in parts, for a model whose entities may be in several stores.
///
/// Each part is the migration of a group of entities that is in one store or another as a whole, planned and proven by
/// itself. All stores have the tables of letters that the whole model needs.
package struct DividedMigration: Sendable {
    /// The migration of a group of entities.
    package struct Part: Sendable, Hashable {
        /// The names of the group's entities in the older version; none where the group is new.
        package var source: [String]
        /// Their names in the newer version; none where the group is gone.
        package var destination: [String]
        /// The positions of its statements among ``DividedMigration/statements``.
        package var statements: Range<Int>

        /// Makes a part.
        package init(source: [String], destination: [String], statements: Range<Int>) {
            self.source = source
            self.destination = destination
            self.statements = statements
        }
    }

    /// The statements in order. Those without a part apply to every store.
    package private(set) var statements: [MigrationStatement] = []
    package private(set) var parts: [Part] = []
    package private(set) var diagnostics = Diagnostics()

    /// Plans and proves the migration from one version to the next.
    package init(from old: Model, to new: Model) {
        let letterTables = LetterTableStatements(from: Schema(ModelGraph(old)), to: Schema(ModelGraph(new)))
        statements += letterTables.creations
        let groups = EntityGroups.groups(from: old, to: new)
        let models = zip(
            old.parts(ofEntitiesNamed: groups.map(\.old)), new.parts(ofEntitiesNamed: groups.map(\.new)))
        for (group, (oldPart, newPart)) in zip(groups, models) {
            let plan = MigrationPlan(fromPart: ModelGraph(oldPart), to: ModelGraph(newPart))
            // The plan of the whole model reports the other findings.
            for finding in plan.diagnostics.all where finding.severity == .error { diagnostics.report(finding) }
            if plan.diagnostics.hasErrors { continue }
            if !plan.statements.isEmpty { diagnostics.report(contentsOf: MigrationProof(plan).run()) }
            // Unchanged parts are left out.
            if plan.statements.isEmpty, group.old == group.new { continue }
            let start = statements.count
            statements += plan.statements
            parts.append(Part(source: group.old, destination: group.new, statements: start..<statements.count))
        }
        statements += letterTables.removals
        if diagnostics.hasErrors { (statements, parts) = ([], []) }
    }
}
