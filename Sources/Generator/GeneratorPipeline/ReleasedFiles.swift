import DataModel
import Foundation
package import ModelFormat
import SchemaMigration

/// The files of released versions, which no edit changes.
package enum ReleasedFiles {
    /// Refuses to edit a file of a released version, which may be one of a bundle that the file's is merged into.
    ///
    /// - Parameters:
    ///   - files: The paths of the files.
    ///   - models: The paths of the bundles that may have them or merge them.
    ///   - reader: Returns the reader for one of the bundles.
    package static func refuseEdits(
        of files: [String], inModels models: [String], reader: (String) throws -> ModelReader
    ) throws {
        for path in models where path.hasSuffix(".xcdatamodeld") {
            var diagnostics = Diagnostics()
            guard let bundle = try reader(path).read(atPath: path).model,
                let lock = LockFile.read(for: bundle, reportingTo: &diagnostics)
            else { continue }
            for version in bundle.versions where lock.versionNames.contains(version.name) {
                if files.contains(where: { isSame($0, version.location.file) }) {
                    throw ModelEditError.notPossible(
                        "Version '\(version.name)' is locked, because it was released. "
                            + "Run 'ashlar new-version \(path)' first.")
                }
                let merged = MergedFiles(
                    ofVersion: version.name, among: bundle.versionNames, inBundle: path, others: [])
                if let file = files.first(where: { file in merged.files.contains { isSame($0.path, file) } }) {
                    throw ModelEditError.notPossible(
                        "\(file) is merged into version '\(version.name)' of \(path), which is locked, because it was "
                            + "released. Make new versions of both bundles first, and name them under 'merges'.")
                }
            }
        }
    }

    /// The models of a package besides one.
    package static func models(of package: ModelPackage?, besides path: String) -> [String] {
        package?.models.filter { !isSame($0, path) } ?? []
    }

    private static func isSame(_ path: String, _ other: String) -> Bool {
        URL(fileURLWithPath: path).standardizedFileURL == URL(fileURLWithPath: other).standardizedFileURL
    }
}
