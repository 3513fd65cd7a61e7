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
    /// A file whose text did not change is left alone, so that nothing is compiled again for it.
    ///
    /// - Parameter found: what counts where the request has no configuration.
    /// - Throws: an error of the file system when a file cannot be written.
    public func run(_ found: GeneratorConfiguration = GeneratorConfiguration()) throws -> Diagnostics {
        var diagnostics = Diagnostics()
        var configuration = found
        if let configurationPath {
            guard let read = GeneratorConfiguration.read(atPath: configurationPath, reportingTo: &diagnostics) else {
                return diagnostics
            }
            configuration = read
        }
        let (plan, findings) = ModelPlan.make(modelPath: modelPath, configuration: configuration)
        diagnostics.report(contentsOf: findings.ofBuilds)
        guard let plan, !diagnostics.hasErrors else { return diagnostics }
        let names = ModelGenerator.fileNames(model: ModelPlan.name(ofModelAtPath: modelPath), shards: shards)
        try FileManager.default.createDirectory(atPath: outputFolder, withIntermediateDirectories: true)
        for (name, text) in zip(names, plan.generator(configuration).files(shards: shards)) {
            try GeneratedFile.write(text, to: "\(outputFolder)/\(name)")
        }
        return diagnostics
    }
}
