import DataModel
import Foundation
import GeneratorPipeline
import Testing

/// A folder in which code is generated from a model.
struct GenerationFolder: ~Copyable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Generates the code for a model, which must have no errors.
    func generate(_ document: String, named name: String = "Names", configuration: String? = nil) throws -> [URL] {
        let bundle = url.appendingPathComponent("\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        try Data(document.utf8).write(to: bundle.appendingPathComponent("contents"))
        return try generate(bundle: bundle, configuration: configuration)
    }

    /// Generates the code for a model on disk, which must have no errors.
    func generate(bundle: URL, configuration: String? = nil) throws -> [URL] {
        let name = bundle.deletingPathExtension().lastPathComponent
        let output = url.appendingPathComponent("Generated-\(UUID().uuidString)")
        var path: String?
        if let configuration {
            let file = url.appendingPathComponent("ashlar.json")
            try Data(configuration.utf8).write(to: file)
            path = file.path
        }
        let diagnostics = try GenerationRequest(
            modelPath: bundle.path, outputFolder: output.path, configurationPath: path, shards: 1
        ).run()
        try #require(!diagnostics.hasErrors, "\(diagnostics.sorted.filter { $0.severity == .error })")
        return ["\(name)+Model.swift", "\(name)+Entities1.swift"].map { output.appendingPathComponent($0) }
    }

    /// Writes a file of a program beside it.
    func write(_ text: String, to name: String) throws -> URL {
        let file = url.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file
    }
}
