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

    /// A build command for each model, and one that fails for each that cannot be found.
    ///
    /// Nothing is thrown: an error while a build is planned would keep every command of the package from running, also
    /// the one that makes a first model. A command that fails is an error of this target's build alone.
    func commands(tool: URL, outputFolder: URL) -> [Command] {
        var names: Set<String> = []
        var problemCount = 0
        return found().map { found in
            switch found {
            case .success(let model):
                let name = model.deletingPathExtension().lastPathComponent
                if names.insert(name.lowercased()).inserted {
                    return generation(of: model, named: name, tool, outputFolder)
                }
                problemCount += 1
                return failure(.duplicateName(name, target: targetName), problemCount, tool, outputFolder)
            case .failure(let problem):
                problemCount += 1
                return failure(problem, problemCount, tool, outputFolder)
            }
        }
    }

    private func generation(of model: URL, named name: String, _ tool: URL, _ outputFolder: URL) -> Command {
        let outputs = ["\(name)+Model.swift"] + (1...Self.shards).map { "\(name)+Entities\($0).swift" }
        var arguments = [model.path, outputFolder.path, String(Self.shards)]
        if let configurationFile { arguments.append(configurationFile.path) }
        return .buildCommand(
            displayName: "Generating the data model \(name) for \(targetName)", executable: tool,
            arguments: arguments, inputFiles: inputs(of: model) + (configurationFile.map { [$0] } ?? []) + [tool],
            outputFiles: outputs.map { outputFolder.appending(path: $0) })
    }

    /// A command that prints what is wrong and fails. It is given an output, as one without is never run.
    private func failure(_ problem: ModelFinderProblem, _ number: Int, _ tool: URL, _ outputFolder: URL) -> Command {
        .buildCommand(
            displayName: "Looking for the data models of \(targetName)", executable: tool,
            arguments: ["--error", problem.description],
            inputFiles: (configurationFile.map { [$0] } ?? []) + [tool],
            outputFiles: [outputFolder.appending(path: "MissingModel\(number).swift")])
    }

    // MARK: Models

    private func found() -> [Result<URL, ModelFinderProblem>] {
        if let configurationFile {
            let path = configurationFile.path
            guard let data = try? Data(contentsOf: configurationFile),
                let object = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
            else { return [.failure(.unreadableConfiguration(path))] }
            if let entry = object["models"] {
                guard let paths = entry as? [String] else { return [.failure(.invalidModels(configuration: path))] }
                if paths.isEmpty { return [.failure(.noModel(target: targetName))] }
                return paths.map { path in
                    let url = packageFolder.appending(path: path)
                    return FileManager.default.fileExists(atPath: url.path)
                        ? .success(url) : .failure(.missingModel(path, configuration: configurationFile.path))
                }
            }
        }
        let recommended = packageFolder.appending(path: "Models/\(targetName).xcdatamodeld")
        if FileManager.default.fileExists(atPath: recommended.path) { return [.success(recommended)] }
        let own = modelsInTargetFolder()
        return own.isEmpty ? [.failure(.noModel(target: targetName))] : own.map { .success($0) }
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

    /// Every file whose change must run the generator again, with those of the bundles that are merged into the model.
    private func inputs(of model: URL) -> [URL] {
        var bundles = [model.standardizedFileURL]
        var position = 0
        while position < bundles.count {
            for merged in mergedBundles(of: bundles[position]) where !bundles.contains(merged) {
                bundles.append(merged)
            }
            position += 1
        }
        return bundles.flatMap(ownInputs)
    }

    /// The bundles that the configuration in a bundle names under `merges`.
    private func mergedBundles(of model: URL) -> [URL] {
        guard let data = try? Data(contentsOf: model.appending(path: "ashlar.json")),
            let object = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any],
            let merges = object["merges"] as? [String: Any]
        else { return [] }
        let folder = model.deletingLastPathComponent()
        return merges.keys.sorted().map { path in
            (path.hasPrefix("/") ? URL(filePath: path) : folder.appending(path: path)).standardizedFileURL
        }
    }

    private func ownInputs(of model: URL) -> [URL] {
        let manager = FileManager.default
        let lockFile = URL(fileURLWithPath: model.path + ".lock")
        if model.pathExtension == "xcdatamodel" {
            return [model.appending(path: "contents"), lockFile].filter { manager.fileExists(atPath: $0.path) }
        }
        let entries = (try? manager.contentsOfDirectory(atPath: model.path)) ?? []
        var files = entries.filter { $0.hasSuffix(".xcdatamodel") }.sorted().map {
            model.appending(path: $0).appending(path: "contents")
        }
        files += entries.filter { $0.hasSuffix(".sql") || $0 == "ashlar.json" }.sorted()
            .map { model.appending(path: $0) }
        files += [model.appending(path: ".xccurrentversion"), lockFile]
        return files.filter { manager.fileExists(atPath: $0.path) }
    }
}

/// Why a target's models cannot be generated. The generator prints it as the error of the target's build.
enum ModelFinderProblem: Error, CustomStringConvertible {
    case noModel(target: String)
    case missingModel(String, configuration: String)
    case unreadableConfiguration(String)
    case invalidModels(configuration: String)
    case duplicateName(String, target: String)

    var description: String {
        switch self {
        case .noModel(let target):
            "error: The target \(target) has no data model. Make one at Models/\(target).xcdatamodeld with "
                + "'swift package ashlar init \(target)', or name it in the target's ashlar.json: "
                + "{\"models\": [\"Models/Name.xcdatamodeld\"]}"
        case .missingModel(let path, let configuration):
            "\(configuration): error: There is no data model at \(path), relative to the package"
        case .unreadableConfiguration(let path):
            "\(path): error: The configuration is no JSON object. Write one such as {\"access\": \"public\"}"
        case .invalidModels(let path):
            "\(path): error: 'models' is no list of paths, such as [\"Models/Name.xcdatamodeld\"]"
        case .duplicateName(let name, let target):
            "error: The target \(target) has two data models of the name \(name). Their names must differ."
        }
    }
}
