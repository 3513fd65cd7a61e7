import DataModel
import RelationalSchema
import SchemaMigration
import StoreDescription
import SwiftGeneration

/// The versions of a model from the oldest on, and the differences between each and the next.
///
/// Most of a version is the same as in the previous one. Only the current version is processed whole; for the others,
/// only the differences are, on all processors.
struct VersionHistory {
    private let versions: [Model]
    /// From each version to the next.
    private let differences: [ModelDifference]
    private let scripts: MigrationScripts
    private let memory: PlanMemory?

    init(_ versions: [Model], _ scripts: MigrationScripts = MigrationScripts(), _ memory: PlanMemory? = nil) {
        self.versions = versions
        self.scripts = scripts
        self.memory = memory
        differences = Concurrency.map(Array(versions.indices.dropFirst())) { index in
            memory.answer("difference", [versions[index - 1], versions[index]]) {
                ModelDifference(from: versions[index - 1], to: versions[index])
            }
        }
    }

    /// The versions before and after a step.
    private func ends(_ index: Int) -> [Model] { [versions[index], versions[index + 1]] }

    /// All findings about the current version, which is the last, and the errors of the others.
    func check() -> Diagnostics {
        guard let first = versions.first, let last = versions.last else { return Diagnostics() }
        let current = memory.answer("check", [last]) { ModelChecker.check(last) }
        // The check of the entire current version reports its errors.
        let isWrong = Concurrency.map(Array(differences.indices)) { index in
            memory.answer("errors", ends(index)) {
                ModelChecker.check(differences[index].new, isCurrent: false).hasErrors
            }
        }
        if !isWrong.contains(true), !current.hasErrors, !checkOld(first).hasErrors { return current }
        var diagnostics = Diagnostics()
        for version in versions.dropLast() {
            for finding in checkOld(version).all where finding.severity == .error {
                diagnostics.report(finding)
            }
        }
        diagnostics.report(contentsOf: current)
        return diagnostics
    }

    /// Checks an older version without its configurations, because its stores contain their own division.
    private func checkOld(_ version: Model) -> Diagnostics {
        memory.answer("check of an older version", [version]) {
            var version = version
            version.configurations = []
            return ModelChecker.check(version, isCurrent: false)
        }
    }

    /// Returns the demands of the models that SQLite cannot meet; the models must have no errors.
    func checkSchemas() -> Diagnostics {
        var diagnostics = Diagnostics()
        let parts = [versions.first, versions.last].compactMap(\.self) + differences.map(\.new)
        let affected = parts.filter { $0.hasIndexExpressions || $0.mayHaveTooManyColumns }
        let findings = Concurrency.map(affected) { [memory] part in
            memory.answer("schema", [part]) { Schema(ModelGraph(part)).diagnostics }
        }
        for found in findings {
            diagnostics.report(contentsOf: found)
        }
        return diagnostics
    }

    /// Returns the versions with the proven SQL that leads to each from the one before; all must be without errors.
    ///
    /// - Parameter lockFile: The released versions, which no longer have to name the data that they delete. Without a
    ///   lock file, no version has to.
    func plan(
        _ lockFile: LockFile?
    ) -> (
        versions: [GeneratedVersion], steps: [[MigrationStep]], renumberedEntityNames: [Set<String>],
        diagnostics: Diagnostics
    ) {
        var diagnostics = Diagnostics()
        var result = zip(versions, hashes()).map { GeneratedVersion(name: $0.name, hash: $1) }
        for (index, tables) in virtualTables().enumerated() { result[index].virtualTables = tables }
        for (index, entities) in storedEntities().enumerated() { result[index].storedEntities = entities }
        var steps = [[MigrationStep]](repeating: [], count: versions.count)
        var renumbered = [Set<String>](repeating: [], count: versions.count)
        let released = lockFile?.versionNames
        let isDivided = versions.last?.configurations.isEmpty == false
        if isDivided { reportScripts(to: &diagnostics) }
        let migrations = Concurrency.map(Array(differences.indices)) { index in
            let difference = differences[index]
            let isReviewed = released.map { !$0.contains(difference.new.name) } ?? false
            let script = scripts[difference.new.name]
            return memory.answer("migration", ends(index), StepContext(isReviewed, isDivided, script)) {
                if !script.isEmpty, !isDivided {
                    // An author's SQL may name any table.
                    return Self.migration(
                        from: versions[index], to: versions[index + 1], isReviewed: isReviewed, script: script)
                }
                if difference.isEmpty { return Migration() }
                return Self.migration(
                    from: difference.old, to: difference.new, isReviewed: isReviewed, isDivided: isDivided)
            }
        }
        for (index, migration) in migrations.enumerated() {
            result[index + 1].migration = migration.statements
            result[index + 1].parts = migration.parts
            steps[index + 1] = migration.steps
            renumbered[index + 1] = migration.renumberedEntityNames
            // A released version is not edited any more, so that only errors of older ones are worth a word.
            for finding in migration.diagnostics.all where finding.severity == .error || index + 2 == versions.count {
                diagnostics.report(finding)
            }
        }
        return (result, steps, renumbered, diagnostics)
    }

    /// The parts of a step that are not in its versions.
    private struct StepContext: Hashable {
        var isReviewed: Bool
        var isDivided: Bool
        var script: MigrationScript

        init(_ isReviewed: Bool, _ isDivided: Bool, _ script: MigrationScript) {
            (self.isReviewed, self.isDivided, self.script) = (isReviewed, isDivided, script)
        }
    }

    private struct Migration {
        var statements: [MigrationStatement] = []
        /// Which of the statements concern which entities, in a model with configurations.
        var parts: [DividedMigration.Part] = []
        var steps: [MigrationStep] = []
        var renumberedEntityNames: Set<String> = []
        var diagnostics = Diagnostics()
    }

    private static func migration(
        from old: Model, to new: Model, isReviewed: Bool, isDivided: Bool = false,
        script: MigrationScript = MigrationScript()
    ) -> Migration {
        let plan = MigrationPlan(
            from: ModelGraph(old), to: ModelGraph(new), isReviewed: isReviewed, script: script)
        var migration = Migration(
            steps: plan.steps, renumberedEntityNames: plan.renumberedEntityNames, diagnostics: plan.diagnostics)
        if migration.diagnostics.hasErrors { return Migration(diagnostics: migration.diagnostics) }
        if isDivided {
            let divided = DividedMigration(from: old, to: new)
            migration.diagnostics.report(contentsOf: divided.diagnostics)
            (migration.statements, migration.parts) = (divided.statements, divided.parts)
        } else {
            if !plan.statements.isEmpty { migration.diagnostics.report(contentsOf: MigrationProof(plan).run()) }
            migration.statements = plan.statements
        }
        return migration
    }

    /// Returns the contents of the R-trees and full-text indexes of each version.
    private func virtualTables() -> [[VirtualTableContents]] {
        let found = Concurrency.map(Array(versions.indices)) { index -> [VirtualTableContents]? in
            if index > 0, differences[index - 1].isEmpty { return nil }
            let hasAny = versions[index].entities.contains { $0.indexes.contains { $0.kind != .binary } }
            if !hasAny { return [] }
            return memory.answer("virtual tables", [versions[index]]) {
                Schema(ModelGraph(versions[index])).virtualTableContents
            }
        }
        var result: [[VirtualTableContents]] = []
        for tables in found { result.append(tables ?? result.last ?? []) }
        return result
    }

    /// Returns the differences of each version's storage from the one before; the first version has all properties.
    private func storedEntities() -> [String] {
        Concurrency.map(Array(versions.indices)) { index in
            if index == 0 {
                return memory.answer("stored entities", [versions[0]]) {
                    StoredEntity.changes(from: [], to: Schema(ModelGraph(versions[0])).storedEntities)
                }
            }
            let difference = differences[index - 1]
            if difference.isEmpty { return "" }
            return memory.answer("stored entities", ends(index - 1)) {
                StoredEntity.changes(
                    from: Schema(ModelGraph(difference.old)).storedEntities,
                    to: Schema(ModelGraph(difference.new)).storedEntities)
            }
        }
    }

    /// When a model with configurations is built, it is not known which of its stores has the tables of an author's
    /// script.
    private func reportScripts(to diagnostics: inout Diagnostics) {
        for version in versions {
            guard let statement = (scripts[version.name].before + scripts[version.name].after).first else { continue }
            diagnostics.report(
                .notSupported, at: statement.location,
                "Scripts are not run in a model with configurations, whose entities may be in several stores",
                notes: ["Remove the configurations if there is one store, or do it after the container was opened"])
        }
    }

    private func hashes() -> [VersionHash] {
        Concurrency.mapSlices(Array(versions.indices)) { indices in
            var hashes: [VersionHash] = []
            for index in indices {
                let previous = hashes.last.map { (hash: $0, difference: differences[index - 1]) }
                let models = previous == nil ? [versions[index]] : ends(index - 1)
                let known = previous.map { [$0.hash] } ?? []
                hashes.append(
                    memory.answer("hash", models, known) { VersionHash(versions[index], after: previous) })
            }
            return hashes
        }.flatMap(\.self)
    }
}
