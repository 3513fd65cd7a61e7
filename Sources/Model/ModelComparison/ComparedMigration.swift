import DataModel
import GeneratorPipeline

/// The migration between two compared versions: its SQL, and the data that it deletes.
package struct ComparedMigration: Sendable, Hashable {
    /// The steps, in a few words each.
    package var steps: [String] = []
    /// Those of the steps that delete objects, values or links.
    package var destroys: [String] = []
    /// Further notes for a reviewer: possible renames, and steps that may fail.
    package var warnings: [String] = []
    /// A script for the `sqlite3` shell; nil if there is no migration.
    package var sql: String?
    /// The reasons why there is none.
    package var obstacles: [String] = []

    /// Plans the migration, as a build does for two versions that follow each other.
    package init(from old: Model, to new: Model) {
        var old = old
        if old.name == new.name { old.name += " (before)" }
        let bundle = ModelBundle(
            name: new.name, versions: [old, new], currentVersionName: new.name, location: new.location)
        let (plan, diagnostics) = ModelPlan.make(bundle)
        var findings = Diagnostics()
        for version in [old, new] { findings.report(contentsOf: ModelChecker.check(version)) }
        let known = Set(findings.all.map(\.message))
        for finding in diagnostics.sorted where finding.severity != .note {
            if finding.severity == .error {
                obstacles.append(finding.message)
            } else if !known.contains(finding.message) {
                warnings.append(finding.message)
            }
        }
        for finding in findings.sorted where finding.severity == .error && !obstacles.contains(finding.message) {
            obstacles.append(finding.message)
        }
        guard let plan, plan.versions.count == 2, obstacles.isEmpty else { return }
        steps = plan.steps[1].map(\.description)
        destroys = plan.steps[1].filter(\.isDestructive).map(\.description)
        sql = plan.migrationText(to: 1)
    }
}
