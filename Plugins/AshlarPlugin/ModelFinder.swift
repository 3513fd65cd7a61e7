import Foundation
import PackagePlugin

/// Finds a target's models, and makes a build command for each.
struct ModelFinder {
    var packageFolder: URL
    var targetFolder: URL
    var targetName: String

    /// Over how many files the entities of a model are spread, so that a large one is compiled by several processes.
    /// It cannot depend on what is in the model, which no one has read yet.
    static let shards = 4

    private var configurationFile: URL? {
        let file = targetFolder.appending(path: "ashlar.json")
        return FileManager.default.fileExists(atPath: file.path) ? file : nil
    }

    func commands(tool: URL, outputFolder: URL) throws -> [Command] {
        let models = try models()
        if models.isEmpty { throw ModelFinderError.noModel(target: targetName) }
        var names: Set<String> = []
        return try models.map { model in
            let name = model.deletingPathExtension().lastPathComponent
            guard names.insert(name.lowercased()).inserted else {
                throw ModelFinderError.duplicateName(name, target: targetName)
            }
            let outputs =
                ["\(name)+Model.swift"] + (1...Self.shards).map { "\(name)+Entities\($0).swift" }
            var arguments = [model.path, outputFolder.path, String(Self.shards)]
            if let configurationFile { arguments.append(configurationFile.path) }
            return .buildCommand(
                displayName: "Generating the data model \(name) for \(targetName)", executable: tool,
                arguments: arguments, inputFiles: inputs(of: model) + (configurationFile.map { [$0] } ?? []) + [tool],
                outputFiles: outputs.map { outputFolder.appending(path: $0) })
        }
    }

    // MARK: Models

    private func models() throws -> [URL] {
        if let configurationFile {
            let data = try Data(contentsOf: configurationFile)
            // A file that is no JSON is reported by the generator, which says where it is wrong.
            let object = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
            if let paths = object?["models"] as? [String] {
                return try paths.map { path in
                    let url = packageFolder.appending(path: path)
                    guard FileManager.default.fileExists(atPath: url.path) else {
                        throw ModelFinderError.missingModel(path, configuration: configurationFile.path)
                    }
                    return url
                }
            }
        }
        let recommended = packageFolder.appending(path: "Models/\(targetName).xcdatamodeld")
        if FileManager.default.fileExists(atPath: recommended.path) { return [recommended] }
        return modelsInTargetFolder()
    }

    private func modelsInTargetFolder() -> [URL] {
        let enumerator = FileManager.default.enumerator(
            at: targetFolder, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
        var found: [URL] = []
        while let url = enumerator?.nextObject() as? URL {
            if ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension) {
                found.append(url)
                enumerator?.skipDescendants()
            }
        }
        return found.sorted { $0.path < $1.path }
    }

    /// Every file whose change must run the generator again.
    private func inputs(of model: URL) -> [URL] {
        let manager = FileManager.default
        let lockFile = URL(fileURLWithPath: model.path + ".lock")
        if model.pathExtension == "xcdatamodel" {
            return [model.appending(path: "contents"), lockFile].filter { manager.fileExists(atPath: $0.path) }
        }
        let entries = (try? manager.contentsOfDirectory(atPath: model.path)) ?? []
        var files = entries.filter { $0.hasSuffix(".xcdatamodel") }.sorted().map {
            model.appending(path: $0).appending(path: "contents")
        }
        files += entries.filter { $0.hasSuffix(".sql") }.sorted().map { model.appending(path: $0) }
        files += [model.appending(path: ".xccurrentversion"), lockFile]
        return files.filter { manager.fileExists(atPath: $0.path) }
    }
}

/// Why a target's models cannot be generated; SwiftPM prints it as the build's error.
enum ModelFinderError: Error, CustomStringConvertible {
    case noModel(target: String)
    case missingModel(String, configuration: String)
    case duplicateName(String, target: String)

    var description: String {
        switch self {
        case .noModel(let target):
            "The target \(target) has no data model. Put one at Models/\(target).xcdatamodeld, or name it in the "
                + "target's ashlar.json: {\"models\": [\"Models/Name.xcdatamodeld\"]}"
        case .missingModel(let path, let configuration):
            "\(configuration): error: there is no data model at \(path), relative to the package"
        case .duplicateName(let name, let target):
            "The target \(target) has two data models of the name \(name). Their names must differ."
        }
    }
}
