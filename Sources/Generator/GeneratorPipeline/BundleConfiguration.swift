import DataModel
import FileErrors
import Foundation
import ModelFormat

/// The `ashlar.json` in a model's own bundle. It applies to every target and command that uses the model. Every entry
/// is optional.
///
///     {
///         "versions": ["First", "Second"],
///         "oldestVersion": "First",
///         "migrationStages": ["Second"],
///         "merges": { "Other.xcdatamodeld": { "First": "Other", "Second": "Other 2" } }
///     }
struct BundleConfiguration: Sendable, Hashable, Codable {
    /// The versions from the oldest on, if their names do not determine the order.
    var versions: [String]?
    /// The oldest version whose stores are still migrated.
    var oldestVersion: String?
    /// The versions to which custom stages lead.
    var migrationStages: [String]?
    /// The versions of other bundles that belong to versions of this bundle. The reader of the model merges them.
    var merges: [String: [String: String]]?

    /// Where the file is in the bundle of a model.
    static func path(ofModelAtPath path: String) -> String {
        "\(ModelFiles.normalized(path))/ashlar.json"
    }

    /// Reads a file. Reports errors at their places, and returns nil if there are any.
    static func read(atPath path: String, reportingTo diagnostics: inout Diagnostics) -> BundleConfiguration? {
        ConfigurationFile.read(
            atPath: path, options: ["versions", "oldestVersion", "migrationStages", "merges"],
            example: "{\"migrationStages\": [\"Second\"]}", reportingTo: &diagnostics)
    }
}

/// A JSON file in which unknown options are errors.
enum ConfigurationFile {
    /// Reads a file. Reports errors at their places, and returns nil if there are any.
    static func read<Value: Decodable>(
        atPath path: String, options: Set<String>, example: String, reportingTo diagnostics: inout Diagnostics
    ) -> Value? {
        let location = SourceLocation(file: path)
        do {
            let data = try RegularFile.bytes(atPath: path)
            let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
            for key in object.keys.sorted() where !options.contains(key) {
                diagnostics.report(
                    .invalidConfiguration, at: location, "There is no option '\(key)'",
                    notes: ["The options are \(options.sorted().joined(separator: ", "))"])
            }
            return try JSONDecoder().decode(Value.self, from: data)
        } catch {
            diagnostics.report(
                .invalidConfiguration, at: location, "The configuration cannot be read: \(reason(error))",
                notes: ["Write a JSON object such as \(example)"])
            return nil
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context), DecodingError.keyNotFound(_, let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
        default: return FileErrorReason.text(error)
        }
    }
}
