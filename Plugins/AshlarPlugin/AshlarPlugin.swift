import Foundation
import PackagePlugin

/// Generates the entity classes, the schema and the migrations of a target's data models whenever it is built.
///
/// The generator finds the models itself, because SwiftPM calls a plugin only when it plans a build: a model, version or
/// script that is added later does not renew the plan. The names of the outputs depend on the target's name alone.
@main
struct AshlarPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        try [
            command(
                tool: try context.tool(named: "AshlarGenerator").url, target: target.name,
                targetFolder: target.directoryURL, packageFolder: context.package.directoryURL,
                outputFolder: context.pluginWorkDirectoryURL)
        ]
    }

    /// The number of files over which the entities are spread, so that large models are compiled by several processes.
    private static let shards = 4

    private func command(
        tool: URL, target: String, targetFolder: URL, packageFolder: URL, outputFolder: URL
    ) throws -> Command {
        let name = target.replacing("/", with: "-")
        let outputs = (["Model"] + (1...Self.shards).map { "Entities\($0)" }).map {
            outputFolder.appending(path: "\(name)+\($0).swift")
        }
        // The generator writes this input again each time. The build system then runs the command in each build, and
        // the generator compares what it reads with what it read before.
        let state = outputFolder.appending(path: "\(name).state")
        if !FileManager.default.fileExists(atPath: state.path) {
            try FileManager.default.createDirectory(at: outputFolder, withIntermediateDirectories: true)
            try Data().write(to: state)
        }
        return .buildCommand(
            displayName: "Looking at the data models of \(target)", executable: tool,
            arguments: [target, targetFolder.path, packageFolder.path, state.path] + outputs.map(\.path),
            inputFiles: [state, tool], outputFiles: outputs)
    }
}

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin

    extension AshlarPlugin: XcodeBuildToolPlugin {
        func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
            let folder = context.xcodeProject.directoryURL
            return try [
                command(
                    tool: try context.tool(named: "AshlarGenerator").url, target: target.displayName,
                    targetFolder: folder.appending(path: target.displayName), packageFolder: folder,
                    outputFolder: context.pluginWorkDirectoryURL)
            ]
        }
    }
#endif
