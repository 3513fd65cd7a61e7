public import DataModel
import Foundation
import SwiftGeneration

/// A request for the code of one model, in files in one folder that are named after the model.
public struct GenerationRequest: Sendable, Hashable {
    public var modelPath: String
    public var outputFolder: String
    /// The path of the target's `ashlar.json`; nil when it has none.
    public var configurationPath: String?
    /// The number of files over which the entities are spread.
    public var shards: Int

    /// Makes a request.
    public init(modelPath: String, outputFolder: String, configurationPath: String? = nil, shards: Int) {
        self.modelPath = modelPath
        self.outputFolder = outputFolder
        self.configurationPath = configurationPath
        self.shards = shards
    }

    /// Reads, checks and plans the model, and writes its files; nothing is written when there are errors.
    ///
    /// A file whose text did not change is left alone, so that nothing is compiled again for it. Files that an earlier run
    /// wrote for more shards are removed.
    ///
    /// - Parameter found: The configuration to use if the request has none.
    /// - Throws: an error of the file system when a file cannot be written.
    public func run(_ found: GeneratorConfiguration = GeneratorConfiguration()) throws -> Diagnostics {
        var diagnostics = Diagnostics()
        guard let files = files(found, reportingTo: &diagnostics) else { return diagnostics }
        try FileManager.default.createDirectory(atPath: outputFolder, withIntermediateDirectories: true)
        for (name, text) in files { try GeneratedFile.write(text, to: "\(outputFolder)/\(name)") }
        for name in superfluousFiles(besides: files.map(\.name)) {
            try FileManager.default.removeItem(atPath: "\(outputFolder)/\(name)")
        }
        return diagnostics
    }

    /// A generated file in the output folder that is not as ``run(_:)`` would write it.
    public struct StaleFile: Sendable, Hashable {
        public enum Reason: Sendable, Hashable {
            /// The file does not exist.
            case missing
            /// The file has another text.
            case different
            /// The model no longer has the file.
            case superfluous
        }

        public var path: String
        public var reason: Reason
    }

    /// Compares the files in the output folder with those that ``run(_:)`` would write. Nothing is written.
    ///
    /// - Parameter found: The configuration to use if the request has none.
    public func staleFiles(_ found: GeneratorConfiguration = GeneratorConfiguration()) -> (
        diagnostics: Diagnostics, files: [StaleFile]
    ) {
        var diagnostics = Diagnostics()
        guard let files = files(found, reportingTo: &diagnostics) else { return (diagnostics, []) }
        var stale: [StaleFile] = []
        for (name, text) in files {
            let path = "\(outputFolder)/\(name)"
            guard let contents = FileManager.default.contents(atPath: path) else {
                stale.append(StaleFile(path: path, reason: .missing))
                continue
            }
            if contents != Data(text.utf8) { stale.append(StaleFile(path: path, reason: .different)) }
        }
        for name in superfluousFiles(besides: files.map(\.name)) {
            stale.append(StaleFile(path: "\(outputFolder)/\(name)", reason: .superfluous))
        }
        return (diagnostics, stale)
    }

    /// Returns the names and texts of the model's files; nil if there are errors.
    private func files(
        _ found: GeneratorConfiguration, reportingTo diagnostics: inout Diagnostics
    ) -> [(name: String, text: String)]? {
        var configuration = found
        if let configurationPath {
            guard let read = GeneratorConfiguration.read(atPath: configurationPath, reportingTo: &diagnostics) else {
                return nil
            }
            configuration = read
        }
        let (plan, findings) = ModelPlan.make(modelPath: modelPath, configuration: configuration)
        diagnostics.report(contentsOf: findings.ofBuilds)
        guard let plan, !diagnostics.hasErrors else { return nil }
        let names = ModelGenerator.fileNames(model: modelName, shards: shards)
        return Array(zip(names, plan.generator(configuration).files(shards: shards)))
    }

    private var modelName: String { ModelPlan.name(ofModelAtPath: modelPath) }

    /// The entities' files of more shards than the model has now. Files without the generator's heading stay.
    private func superfluousFiles(besides names: [String]) -> [String] {
        let found = (try? FileManager.default.contentsOfDirectory(atPath: outputFolder)) ?? []
        return found.sorted().filter { name in
            guard !names.contains(name), name.hasPrefix("\(modelName)+Entities"), name.hasSuffix(".swift"),
                let contents = FileManager.default.contents(atPath: "\(outputFolder)/\(name)")
            else { return false }
            return contents.starts(with: Data(ModelGenerator.heading(ofModel: modelName).utf8))
        }
    }
}
