import Foundation
import PackagePlugin

/// Generates the entity classes, the schema and the migrations of a target's data models whenever it is built.
///
/// The generator finds the models itself, because SwiftPM calls a plugin only when it plans a build: a model, version
/// or script that is added later does not renew the plan. The names of the outputs depend on the target's name alone.
@main
struct AshlarPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        try [
            command(
                generator: try Generator(context.tool), target: target.name,
                targetFolder: target.directoryURL, packageFolder: context.package.directoryURL,
                outputFolder: context.pluginWorkDirectoryURL)
        ]
    }

    /// The number of files over which the entities are spread, so that large models are compiled by several processes.
    private static let shards = 4

    private func command(
        generator: Generator, target: String, targetFolder: URL, packageFolder: URL, outputFolder: URL
    ) throws -> Command {
        let name = target.replacing("/", with: "-")
        let outputs = (["Model"] + (1...Self.shards).map { "Entities\($0)" }).map {
            outputFolder.appending(path: "\(name)+\($0).swift")
        }
        // The generator writes this input again each time. The build system then runs the command in each build, and
        // the generator compares its input with that of the build before.
        let state = outputFolder.appending(path: "\(name).state")
        if !FileManager.default.fileExists(atPath: state.path) {
            try FileManager.default.createDirectory(at: outputFolder, withIntermediateDirectories: true)
            try Data().write(to: state)
        }
        return .buildCommand(
            displayName: "Looking at the data models of \(target)", executable: generator.program,
            arguments: generator.arguments + [target, targetFolder.path, packageFolder.path, state.path]
                + outputs.map(\.path),
            inputFiles: [state, generator.program], outputFiles: outputs)
    }
}

/// The program that generates code: the prebuilt tool if the package's traits ask for it, or the one built from
/// sources.
struct Generator {
    let program: URL
    /// The arguments before those of the target.
    let arguments: [String]

    init(_ tool: (String) throws -> PluginContext.Tool) throws {
        if let prebuilt = try? tool("AshlarPrebuilt") {
            program = prebuilt.url
            arguments = ["generate-target"]
        } else if let built = try? tool("AshlarGenerator") {
            program = built.url
            arguments = []
        } else {
            throw GeneratorError.noTrait
        }
    }
}

enum GeneratorError: Error, CustomStringConvertible {
    case noTrait

    var description: String {
        "The dependency 'ashlar' has no generator. Add \"GeneratorFromSources\" or \"PrebuiltGenerator\" to its traits in "
            + "Package.swift."
    }
}

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin

    extension AshlarPlugin: XcodeBuildToolPlugin {
        func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
            let folder = context.xcodeProject.directoryURL
            return try [
                command(
                    generator: try Generator(context.tool), target: target.displayName,
                    targetFolder: folder.appending(path: target.displayName), packageFolder: folder,
                    outputFolder: context.pluginWorkDirectoryURL)
            ]
        }
    }
#endif
