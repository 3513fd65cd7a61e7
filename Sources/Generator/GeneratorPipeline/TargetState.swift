import DataModel
import FileErrors
import Foundation
import ModelFormat
import SchemaMigration

/// Everything that a target's generated code depends on, and the code itself, as bytes that a later build compares.
///
/// The bytes of the files are in it rather than their times: a build must not miss a change, and a model is small.
struct TargetState {
    private(set) var bytes = Data()

    /// The state before the models are read; the outputs are added afterwards.
    init(_ request: TargetRequest, _ models: TargetModels) {
        add("generator \(Self.generatorIdentity)")
        add(file: request.configurationPath)
        var paths = models.paths
        var position = 0
        while position < paths.count {
            add(modelAtPath: paths[position])
            for merged in MergedBundles.paths(ofBundle: paths[position]) where !paths.contains(merged) {
                paths.append(merged)
            }
            position += 1
        }
    }

    /// The generator's own file: a new version of it may write other code.
    private static var generatorIdentity: String {
        guard let path = Bundle.main.executableURL?.path,
            let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let date = attributes[.modificationDate] as? Date
        else { return UUID().uuidString }
        return "\(path) \(attributes[.size] ?? 0) \(date.timeIntervalSinceReferenceDate)"
    }

    private mutating func add(modelAtPath path: String) {
        add(file: ModelFiles.normalized(path) + LockFile.suffix)
        let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        for name in ((try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []).sorted() {
            add(file: "\(folder)/\(name)")
        }
        for file in MappingModel.dependencies(besideModelAtPath: path) { add(file: file) }
    }

    private mutating func add(_ text: String) { bytes += Data("\(text)\n".utf8) }

    /// Adds a file or a folder, which has no contents, under its path.
    mutating func add(file path: String) {
        guard let contents = try? RegularFile.bytes(atPath: path) else {
            return add("\(FileManager.default.fileExists(atPath: path) ? "folder" : "none") \(path)")
        }
        add("file \(path) \(contents.count)")
        bytes += contents
    }
}
