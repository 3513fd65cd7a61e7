public import DataModel
import FileErrors
import Foundation
public import SchemaMigration

extension LockFile {
    /// The path of a model's lock file, which is beside the model.
    public static func path(of bundle: ModelBundle) -> String { bundle.location.file + suffix }

    /// Reads the lock file beside a model; nil when there is none, or when it has errors, which are reported.
    public static func read(for bundle: ModelBundle, reportingTo diagnostics: inout Diagnostics) -> LockFile? {
        let path = path(of: bundle)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            let data = try RegularFile.bytes(atPath: path)
            var found = Diagnostics()
            let file = LockFile(text: String(decoding: data, as: UTF8.self), path: path, reportingTo: &found)
            diagnostics.report(contentsOf: found)
            return found.hasErrors ? nil : file
        } catch {
            diagnostics.report(
                .unreadableFile, at: SourceLocation(file: path),
                "The lock file cannot be read: \(FileErrorReason.text(error))")
            return nil
        }
    }

    /// Writes the file in one step.
    ///
    /// - Throws: an error of the file system.
    public func write(modelName: String) throws {
        try Data(text(modelName: modelName).utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
