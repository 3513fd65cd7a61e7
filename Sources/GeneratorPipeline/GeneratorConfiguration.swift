public import DataModel
import Foundation
public import SwiftGeneration

/// What a target's `ashlar.json` says. Every entry may be left out.
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
    /// The versions of a model from the oldest on, where their names do not tell.
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
        let location = SourceLocation(file: path)
        let known: Set<String> = ["models", "access", "versions", "currentVersion", "oldestVersion", "migrationStages"]
        do {
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
            for key in object.keys.sorted() where !known.contains(key) {
                diagnostics.report(
                    .invalidConfiguration, at: location, "There is no option '\(key)'",
                    notes: ["The options are \(known.sorted().joined(separator: ", "))"])
            }
            return try JSONDecoder().decode(GeneratorConfiguration.self, from: data)
        } catch {
            diagnostics.report(
                .invalidConfiguration, at: location, "The configuration cannot be read: \(reason(error))",
                notes: ["Write a JSON object such as {\"access\": \"public\"}"])
            return nil
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context), DecodingError.keyNotFound(_, let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
        default: return (error as NSError).localizedDescription
        }
    }
}
