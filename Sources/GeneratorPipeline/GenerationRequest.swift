public import DataModel
import Foundation
import SwiftGeneration

/// What the build tool plugin asks for: one model's files in one folder.
public struct GenerationRequest: Sendable, Hashable {
    public var modelPath: String
    public var outputFolder: String
    /// The path of the target's `ashlar.json`; nil when it has none.
    public var configurationPath: String?
    /// Over how many files the entities are spread. The plugin must know it before the model is read.
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
        // Advice is for those who ask for it: a build that prints it each time hides what matters.
        for finding in findings.all where finding.severity != .note { diagnostics.report(finding) }
        guard let plan, !diagnostics.hasErrors else { return diagnostics }
        var generator = ModelGenerator(
            name: plan.name, schema: plan.schema, versions: plan.versions, firstSchema: plan.firstSchema,
            stageVersions: plan.stageVersions, access: configuration.access ?? .internal)
        generator.usesScalarValueTypes = configuration.usesScalarValueTypes ?? false
        let names = ModelGenerator.fileNames(model: ModelPlan.name(ofModelAtPath: modelPath), shards: shards)
        let folder = URL(fileURLWithPath: outputFolder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in zip(names, generator.files(shards: shards)) {
            let url = folder.appendingPathComponent(name)
            let data = Data(text.utf8)
            if let current = try? Data(contentsOf: url), current == data { continue }
            try data.write(to: url, options: .atomic)
        }
        return diagnostics
    }
}
