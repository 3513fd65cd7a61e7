public import DataModel
public import ModelFormat
import RelationalSchema
public import SchemaMigration
public import SwiftGeneration

/// A model that was read, checked and planned, with everything that generating its code requires.
public struct ModelPlan: Sendable {
    /// The model's name, which its bundle gives it.
    public let name: String
    /// The tables of the current version.
    public let schema: Schema
    /// The versions up to the current one, with the SQL between them.
    public let versions: [GeneratedVersion]
    /// The changes of each version from the one before; empty for the first.
    public let steps: [[MigrationStep]]
    /// The versions that custom stages lead to or from, the oldest first.
    public let stageVersions: [StageVersion]
    private let models: [Model]

    /// The tables of every version up to the current one.
    public var schemas: [Schema] { models.map { Schema(ModelGraph($0)) } }

    /// The tables of the oldest version; nil where there is no other than the current one.
    public var firstSchema: Schema? { models.count > 1 ? models.first.map { Schema(ModelGraph($0)) } : nil }

    /// The names in the previous version of everything that was renamed.
    var formerNames: FormerNames {
        let last = models.suffix(2)
        guard let old = last.first, let new = last.last, last.count == 2 else { return FormerNames() }
        return FormerNames(from: old, to: new)
    }

    /// Reads, checks and plans the model at a path. The plan is nil when the diagnostics have errors.
    ///
    /// Findings that the author silenced are left out of the diagnostics.
    ///
    /// - Parameter texts: the texts of the model's files, for an editor that has not saved them.
    public static func make(
        modelPath: String, configuration: GeneratorConfiguration = GeneratorConfiguration(),
        texts: ModelTexts = ModelTexts()
    ) -> (plan: ModelPlan?, diagnostics: Diagnostics) {
        make(modelPath: modelPath, configuration: configuration, texts: texts, memory: nil)
    }

    /// The same, for a caller that makes the plan of a model again and again.
    package static func make(
        modelPath: String, configuration: GeneratorConfiguration, texts: ModelTexts, memory: PlanMemory?
    ) -> (plan: ModelPlan?, diagnostics: Diagnostics) {
        var texts = texts
        texts.known = memory?.versions
        var resolver = FindingResolver(texts)
        let (plan, diagnostics) = makeWithAllFindings(modelPath, configuration, texts, memory)
        return (plan, resolver.resolved(diagnostics))
    }

    private static func makeWithAllFindings(
        _ modelPath: String, _ configuration: GeneratorConfiguration, _ texts: ModelTexts, _ memory: PlanMemory?
    ) -> (plan: ModelPlan?, diagnostics: Diagnostics) {
        var findings = Diagnostics()
        guard let configuration = configuration.includingBundle(ofModelAtPath: modelPath, reportingTo: &findings) else {
            return (nil, findings)
        }
        let bundleName = name(ofModelAtPath: modelPath)
        var reader = configuration.reader(ofModelAtPath: modelPath)
        reader.texts = texts
        let (bundle, diagnostics) = reader.read(atPath: modelPath)
        findings.report(contentsOf: diagnostics)
        guard let bundle else { return (nil, findings) }
        let lockFile = LockFile.read(for: bundle, reportingTo: &findings)
        let scripts = MigrationScripts.read(for: bundle, texts, reportingTo: &findings)
        let stageNames = configuration.migrationStages?[bundleName] ?? []
        // A target that builds an earlier release does so on purpose.
        if configuration.currentVersion?[bundleName] == nil {
            findings.report(contentsOf: BundleFindings.laterVersions(of: bundle))
        }
        let result = make(
            bundle, oldestVersionName: configuration.oldestVersion?[bundleName], lockFile: lockFile, scripts: scripts,
            stageNames: stageNames, texts: texts, memory: memory, after: findings)
        // A note about the mapping model helps the author to correct the errors of a step.
        let names = bundle.versionNames
        let oldestName = configuration.oldestVersion?[bundleName] ?? names.first
        guard let current = names.firstIndex(of: bundle.currentVersionName),
            let oldest = oldestName.flatMap({ names.firstIndex(of: $0) }), oldest <= current
        else { return result }
        let planned = names[oldest...current].dropFirst().filter { !stageNames.contains($0) && scripts[$0].isEmpty }
        var all = result.diagnostics
        all.report(contentsOf: BundleFindings.ignoredMappingModels(of: bundle, leadingTo: Set(planned)))
        return (result.plan, all)
    }

    /// Checks and plans a model that was read.
    ///
    /// - Parameters:
    ///   - oldestVersionName: the oldest version whose stores are still migrated; nil for the first.
    ///   - lockFile: the released versions, which must be as they were. Deletions in a later version must be named in
    ///     that version.
    ///   - scripts: the author's SQL between versions.
    ///   - stageNames: the versions that custom stages lead to.
    ///   - findings: the findings from reading the model.
    public static func make(
        _ bundle: ModelBundle, oldestVersionName: String? = nil, lockFile: LockFile? = nil,
        scripts: MigrationScripts = MigrationScripts(), stageNames: [String] = [],
        after findings: Diagnostics = Diagnostics()
    ) -> (plan: ModelPlan?, diagnostics: Diagnostics) {
        make(
            bundle, oldestVersionName: oldestVersionName, lockFile: lockFile, scripts: scripts, stageNames: stageNames,
            texts: ModelTexts(), memory: nil, after: findings)
    }

    private static func make(
        _ bundle: ModelBundle, oldestVersionName: String?, lockFile: LockFile?, scripts: MigrationScripts,
        stageNames: [String], texts: ModelTexts, memory: PlanMemory?, after findings: Diagnostics
    ) -> (plan: ModelPlan?, diagnostics: Diagnostics) {
        var diagnostics = findings
        if let lockFile { diagnostics.report(contentsOf: lockFile.check(bundle)) }
        guard let current = bundle.versions.firstIndex(where: { $0.name == bundle.currentVersionName })
        else { return (nil, diagnostics) }
        var versions = Array(bundle.versions[...current])
        if let oldest = oldestVersionName {
            guard let first = versions.firstIndex(where: { $0.name == oldest }) else {
                diagnostics.report(
                    .invalidConfiguration, at: bundle.location,
                    "The oldest version '\(oldest)' is not among the versions of \(bundle.name)",
                    notes: ["They are " + versions.map(\.name).joined(separator: ", ")])
                return (nil, diagnostics)
            }
            versions = Array(versions[first...])
        }
        for name in stageNames where !bundle.versions.dropFirst().contains(where: { $0.name == name }) {
            diagnostics.report(
                .invalidConfiguration, at: bundle.location,
                "'\(name)', which migrationStages names, is not a version of \(bundle.name) that a migration leads to",
                notes: ["They are " + bundle.versions.dropFirst().map(\.name).joined(separator: ", ")])
            return (nil, diagnostics)
        }
        if !stageNames.isEmpty, let divided = bundle.versions[current].configurations.first {
            diagnostics.report(
                .notSupported, at: divided.location,
                "Custom stages are not run in a model with configurations, whose entities may be in several stores",
                notes: ["Remove the configurations if there is one store, or do it after the container was opened"])
        }
        let past = PastVersions(bundle: bundle, oldestVersionName: oldestVersionName, texts: texts)
        diagnostics = past.relevant(diagnostics)
        let history = VersionHistory(versions, scripts, memory)
        diagnostics.report(contentsOf: history.check())
        guard !diagnostics.hasErrors, let last = versions.last else { return (nil, past.withWayOut(diagnostics)) }
        diagnostics.report(contentsOf: history.checkSchemas())
        if diagnostics.hasErrors { return (nil, past.withWayOut(diagnostics)) }
        var (generated, steps, renumbered, found) = history.plan(lockFile)
        diagnostics.report(contentsOf: found)
        if diagnostics.hasErrors {
            return (nil, past.withWayOutOfSteps(diagnostics, isReleased: lockFile != nil))
        }
        diagnostics.report(contentsOf: NameAdvice.check(last))
        let stages = Set(stageNames)
        for index in generated.indices.dropFirst() {
            generated[index].needsStage = stages.contains(generated[index].name)
        }
        let stageVersions = versions.indices.filter { index in
            generated[index].needsStage || index + 1 < versions.count && generated[index + 1].needsStage
        }.map { index in
            StageVersion(
                name: versions[index].name, schema: Schema(ModelGraph(versions[index])),
                renumberedEntityNames: renumbered[index])
        }
        let plan = ModelPlan(
            name: bundle.name, schema: Schema(ModelGraph(last)), versions: generated, steps: steps,
            stageVersions: stageVersions, models: versions)
        return (plan, diagnostics)
    }

    /// The bundle's name without its extension.
    public static func name(ofModelAtPath path: String) -> String {
        let last = path.split(separator: "/").last.map(String.init) ?? path
        for suffix in [".xcdatamodeld", ".xcdatamodel"] where last.hasSuffix(suffix) {
            return String(last.dropLast(suffix.count))
        }
        return last
    }
}
