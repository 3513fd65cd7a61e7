public import DataModel
import FileErrors
import Foundation
public import ModelFormat
public import SchemaMigration

/// The scripts in a model's bundle, by the names of the versions that they lead to.
public struct MigrationScripts: Sendable, Hashable {
    private var scripts: [String: MigrationScript] = [:]

    /// No scripts.
    public init() {}

    /// The script on the way to a version.
    public subscript(versionName: String) -> MigrationScript { scripts[versionName] ?? MigrationScript() }

    /// Reads the scripts of a model. Scripts that lead to no version and scripts that cannot be read are reported.
    ///
    /// - Parameter texts: The texts of the scripts.
    public static func read(
        for bundle: ModelBundle, _ texts: ModelTexts = ModelTexts(), reportingTo diagnostics: inout Diagnostics
    ) -> MigrationScripts {
        var result = MigrationScripts()
        let folder = bundle.location.file
        for entry in texts.fileNames(inFolder: folder) where entry.hasSuffix(".sql") {
            let file = "\(folder)/\(entry)"
            let isBefore = entry.hasSuffix(".before.sql")
            let name = String(entry.dropLast(isBefore ? 11 : 4))
            guard bundle.versions.dropFirst().contains(where: { $0.name == name }) else {
                diagnostics.report(
                    .invalidMigrationScript, at: SourceLocation(file: file),
                    "There is no version '\(name)' that a migration leads to",
                    notes: ["Name the file after the version that it leads to, or remove it"])
                continue
            }
            do {
                let data = try texts.open[file] ?? [UInt8](RegularFile.bytes(atPath: file))
                let statements = MigrationScript.statements(
                    of: String(decoding: data, as: UTF8.self), file: file, reportingTo: &diagnostics)
                if isBefore {
                    result.scripts[name, default: MigrationScript()].before = statements
                } else {
                    result.scripts[name, default: MigrationScript()].after = statements
                }
            } catch {
                diagnostics.report(
                    .unreadableFile, at: SourceLocation(file: file),
                    "The migration script cannot be read: \(FileErrorReason.text(error))")
            }
        }
        return result
    }
}
