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
    /// The access level of the generated declarations: `internal`, `package` or `public`.
    public var access: AccessLevel?
    /// Whether optional attributes that use their scalar type are not optional in classes, as in Core Data's code, where nil
    /// reads as 0 or false.
    public var usesScalarValueTypes: Bool?
    /// The versions of a model from the oldest on, if their names do not determine the order.
    public var versions: [String: [String]]?
    /// The version of a model to build for, instead of the one chosen in Xcode. An older version generates the code of
    /// an earlier release, which tests of migrations use to write its stores.
    public var currentVersion: [String: String]?
    /// The oldest version of a model whose stores are still migrated.
    public var oldestVersion: [String: String]?
    /// The versions of a model that need code of the program's own, a custom stage of its migration plan. They and
    /// those before them get types, and no store is migrated to one of them without its stage.
    public var migrationStages: [String: [String]]?

    /// Makes a configuration without settings.
    public init() {}

    /// Reads a file. Reports errors at their places, and returns nil if there are any.
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

    /// Returns this configuration with the settings of the model's own bundle; nil if the bundle's file has errors,
    /// which are reported.
    ///
    /// The bundle's stages are added to those of the configuration. The order of the versions and the oldest version
    /// are the bundle's if the configuration does not set them.
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
