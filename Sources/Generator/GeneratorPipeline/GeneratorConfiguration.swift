public import DataModel
import Foundation
public import ModelFormat
public import SwiftGeneration

/// The `ashlar.json` of a target. Every entry is optional.
///
///     {
///         "models": ["Models/PhotoFeed.xcdatamodeld"],
///         "access": "public",
///         "versions": { "PhotoFeed": ["First", "Second"] },
///         "oldestVersion": { "PhotoFeed": "Second" },
///         "migrationStages": { "PhotoFeed": ["Second"] }
///     }
public struct GeneratorConfiguration: Sendable, Hashable, Codable {
    /// The paths of the models, relative to the package.
    public var models: [String]?
    /// How visible the generated declarations are: `internal`, `package` or `public`.
    public var access: AccessLevel?
    /// Whether optional attributes that use their scalar type are not optional in classes, as in Core Data's code, where nil
    /// reads as 0 or false.
    public var usesScalarValueTypes: Bool?
    /// The versions of a model from the oldest on, if their names do not determine the order.
    public var versions: [String: [String]]?
    /// The version of a model to build for, in place of the one that is chosen in Xcode: an older one makes the code of
    /// an earlier release, to write the stores with that migrations are tested.
    public var currentVersion: [String: String]?
    /// The oldest version of a model whose stores are still migrated.
    public var oldestVersion: [String: String]?
    /// The versions of a model to which code of the program's own leads, a custom stage of its migration plan. They and
    /// those before them get types, and no store becomes one of them without the stage.
    public var migrationStages: [String: [String]]?

    /// A configuration that says nothing.
    public init() {}

    /// Reads a file. What is wrong with it is reported at its place, and nil returned.
    public static func read(atPath path: String, reportingTo diagnostics: inout Diagnostics) -> GeneratorConfiguration?
    {
        ConfigurationFile.read(
            atPath: path,
            options: [
                "models", "access", "usesScalarValueTypes", "versions", "currentVersion", "oldestVersion",
                "migrationStages",
            ],
            example: "{\"access\": \"public\"}", reportingTo: &diagnostics)
    }

    /// The configuration with what the model's own bundle says; nil when that has errors, which are reported.
    ///
    /// To stages those of the bundle are added. The order and the oldest of the versions are the bundle's where the
    /// configuration does not say them.
    public func includingBundle(
        ofModelAtPath path: String, reportingTo diagnostics: inout Diagnostics
    ) -> GeneratorConfiguration? {
        let file = BundleConfiguration.path(ofModelAtPath: path)
        guard FileManager.default.fileExists(atPath: file) else { return self }
        guard let bundle = BundleConfiguration.read(atPath: file, reportingTo: &diagnostics) else { return nil }
        let name = ModelPlan.name(ofModelAtPath: path)
        var result = self
        if let versions = bundle.versions, result.versions?[name] == nil {
            result.versions = (result.versions ?? [:]).merging([name: versions]) { $1 }
        }
        if let oldest = bundle.oldestVersion, result.oldestVersion?[name] == nil {
            result.oldestVersion = (result.oldestVersion ?? [:]).merging([name: oldest]) { $1 }
        }
        if let stages = bundle.migrationStages {
            let others = result.migrationStages?[name] ?? []
            result.migrationStages = (result.migrationStages ?? [:])
                .merging([name: stages + others.filter { !stages.contains($0) }]) { $1 }
        }
        return result
    }

    /// Returns the reader of the model at a path, according to the configuration.
    public func reader(ofModelAtPath path: String) -> ModelReader {
        let name = ModelPlan.name(ofModelAtPath: path)
        return ModelReader(versionOrder: versions?[name], currentVersionName: currentVersion?[name])
    }
}
