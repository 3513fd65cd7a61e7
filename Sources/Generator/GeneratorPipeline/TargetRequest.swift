public import DataModel
import Foundation
import SwiftGeneration

/// The request of the build tool plugin: the code of all data models of a target, in files with fixed paths.
public struct TargetRequest: Sendable, Hashable {
    public var targetName: String
    public var targetFolder: String
    public var packageFolder: String
    /// The file with the inputs and outputs of the last run. Each run replaces it.
    public var statePath: String
    /// The file for the first model, then those for its entities. Other models are spread over the same files.
    public var outputPaths: [String]

    /// Makes a request.
    public init(
        targetName: String, targetFolder: String, packageFolder: String, statePath: String, outputPaths: [String]
    ) {
        self.targetName = targetName
        self.targetFolder = targetFolder
        self.packageFolder = packageFolder
        self.statePath = statePath
        self.outputPaths = outputPaths
    }

    var configurationPath: String { "\(targetFolder)/ashlar.json" }

    /// Reads, checks and plans the models, and writes the files; nothing is written when there are errors.
    ///
    /// If nothing changed since the last successful run, the models are not planned again. A file whose text did not
    /// change is left alone.
    ///
    /// - Throws: an error of the file system when a file cannot be written.
    public func run() throws -> Diagnostics {
        var diagnostics = Diagnostics()
        let state = try update(reportingTo: &diagnostics)
        // Replaced even if it is equal: the build system runs the generator again because this input changed. After an
        // error it is empty, so that the next successful run reports all warnings again.
        try (state ?? Data()).write(to: URL(fileURLWithPath: statePath), options: .atomic)
        return diagnostics
    }

    /// Brings the files up to date, and gives the state afterwards; nil when there are errors.
    private func update(reportingTo diagnostics: inout Diagnostics) throws -> Data? {
        guard let models = TargetModels.find(self, reportingTo: &diagnostics) else { return nil }
        var state = TargetState(self, models)
        var current = state
        for path in outputPaths { current.add(file: path) }
        if current.bytes == FileManager.default.contents(atPath: statePath) { return current.bytes }
        let generators = models.generators(reportingTo: &diagnostics)
        if diagnostics.hasErrors { return nil }
        let files = Concurrency.map(generators) { $0.files(shards: outputPaths.count - 1) }
        for (position, path) in outputPaths.enumerated() {
            // Several models are spread over the files so that all files have similar sizes and are compiled in
            // parallel.
            let texts = files.enumerated().map { $1[(position + $0) % outputPaths.count] }
            try GeneratedFile.write(texts.joined(separator: "\n"), to: path)
            state.add(file: path)
        }
        return state.bytes
    }
}

/// A file of generated code.
enum GeneratedFile {
    /// Writes a file unless it has the text already, so that nothing is compiled again for it.
    static func write(_ text: String, to path: String) throws {
        let data = Data(text.utf8)
        if FileManager.default.contents(atPath: path) != data {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        }
    }
}

extension TargetModels {
    /// The generators of the models that have no errors.
    fileprivate func generators(reportingTo diagnostics: inout Diagnostics) -> [ModelGenerator] {
        var generators: [ModelGenerator] = []
        for path in paths {
            let (plan, findings) = ModelPlan.make(modelPath: path, configuration: configuration)
            diagnostics.report(contentsOf: findings.ofBuilds)
            if let plan { generators.append(plan.generator(configuration)) }
        }
        var known: [String: (type: ModelGenerator.DeclaredType, model: String)] = [:]
        for generator in generators {
            for type in generator.declaredTypes {
                guard let first = known[type.name] else {
                    known[type.name] = (type, generator.name)
                    continue
                }
                diagnostics.report(
                    type.code, at: type.location,
                    "Two models of the target make the type '\(type.name)': \(type.title) of \(generator.name) and "
                        + "\(first.type.title) of \(first.model)",
                    notes: [
                        "The other is at \(first.type.location)",
                        "Rename one of them, or build the models in two targets",
                    ])
            }
        }
        return generators
    }
}

extension Diagnostics {
    /// The findings that a build prints: all but notes, which would hide the errors and warnings.
    var ofBuilds: Diagnostics {
        var result = Diagnostics()
        for finding in all where finding.severity != .note { result.report(finding) }
        return result
    }
}

extension ModelPlan {
    /// The generator of the model's code.
    func generator(_ configuration: GeneratorConfiguration) -> ModelGenerator {
        var generator = ModelGenerator(
            name: name, schema: schema, versions: versions, firstSchema: firstSchema, stageVersions: stageVersions,
            access: configuration.access ?? .internal)
        generator.usesScalarValueTypes = configuration.usesScalarValueTypes ?? false
        generator.formerNames = formerNames
        return generator
    }
}
