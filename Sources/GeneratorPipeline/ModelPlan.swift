import DataModel
import ModelFormat
import RelationalSchema
import SchemaMigration
public import SwiftGeneration

/// A model that was read, checked and planned: what is needed to emit its code.
public struct ModelPlan: Sendable {
    /// The model's name, which its bundle gives it.
    public let name: String
    /// The tables of the current version.
    public let schema: Schema
    /// The versions up to the current one, with the SQL between them.
    public let versions: [GeneratedVersion]
    /// The tables of every version up to the current one.
    public let schemas: [Schema]

    /// Reads, checks and plans the model at a path. The plan is nil when the diagnostics have errors.
    public static func make(
        modelPath: String, configuration: GeneratorConfiguration = GeneratorConfiguration()
    ) -> (plan: ModelPlan?, diagnostics: Diagnostics) {
        let bundleName = name(ofModelAtPath: modelPath)
        let reader = ModelReader(
            versionOrder: configuration.versions?[bundleName],
            currentVersionName: configuration.currentVersion?[bundleName])
        var (bundle, diagnostics) = reader.read(atPath: modelPath)
        guard let bundle, let current = bundle.versions.firstIndex(where: { $0.name == bundle.currentVersionName })
        else { return (nil, diagnostics) }
        var versions = Array(bundle.versions[...current])
        if let oldest = configuration.oldestVersion?[bundleName] {
            guard let first = versions.firstIndex(where: { $0.name == oldest }) else {
                diagnostics.report(
                    .invalidConfiguration, at: bundle.location,
                    "The oldest version '\(oldest)' is not among the versions of \(bundleName)",
                    notes: ["They are " + versions.map(\.name).joined(separator: ", ")])
                return (nil, diagnostics)
            }
            versions = Array(versions[first...])
        }
        diagnostics = withoutAdviceOnOldVersions(diagnostics, current: versions.last)
        for version in versions {
            let found = ModelChecker.check(version)
            for finding in found.all where finding.severity == .error || version.name == bundle.currentVersionName {
                diagnostics.report(finding)
            }
        }
        if diagnostics.hasErrors { return (nil, diagnostics) }
        let schemas = versions.map { Schema(ModelGraph($0)) }
        let (generated, found) = plan(versions, schemas)
        diagnostics.report(contentsOf: found)
        guard !diagnostics.hasErrors, let schema = schemas.last else { return (nil, diagnostics) }
        return (
            ModelPlan(name: bundle.name, schema: schema, versions: generated, schemas: schemas), diagnostics
        )
    }

    /// A released version is not edited any more, so that advice on it would only hide advice on the current one.
    private static func withoutAdviceOnOldVersions(_ diagnostics: Diagnostics, current: Model?) -> Diagnostics {
        var result = Diagnostics()
        for finding in diagnostics.all
        where finding.severity == .error || current.map({ $0.location.file == finding.location.file }) ?? true {
            result.report(finding)
        }
        return result
    }

    private static func plan(_ versions: [Model], _ schemas: [Schema]) -> ([GeneratedVersion], Diagnostics) {
        var diagnostics = Diagnostics()
        var result = versions.map { GeneratedVersion(name: $0.name, hash: VersionHash($0)) }
        for (index, plan) in MigrationPlan.plans(for: schemas).enumerated() {
            // A released version is not edited any more, so that only errors of older ones are worth a word.
            for finding in plan.diagnostics.all where finding.severity == .error || index + 2 == versions.count {
                diagnostics.report(finding)
            }
            if plan.diagnostics.hasErrors { continue }
            result[index + 1].migration = plan.statements
            if !plan.statements.isEmpty { diagnostics.report(contentsOf: MigrationProof(plan).run()) }
        }
        return (result, diagnostics)
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
