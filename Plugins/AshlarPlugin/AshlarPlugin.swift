import Foundation
import PackagePlugin

/// Generates the entity classes, the schema and the migrations of a target's data models whenever it is built.
///
/// The models are those that the target's `ashlar.json` names; without that file `Models/TARGET.xcdatamodeld`; without
/// that too, those in the target's own folder. The names of the outputs follow from the models' names alone. A model that
/// is not there is an error of the target's build, and not of planning it.
@main
struct AshlarPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let tool = try context.tool(named: "AshlarGenerator")
        let finder = ModelFinder(
            packageFolder: context.package.directoryURL, targetFolder: target.directoryURL, targetName: target.name)
        return finder.commands(tool: tool.url, outputFolder: context.pluginWorkDirectoryURL)
    }
}

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin

    extension AshlarPlugin: XcodeBuildToolPlugin {
        func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
            let tool = try context.tool(named: "AshlarGenerator")
            let folder = context.xcodeProject.directoryURL
            let finder = ModelFinder(
                packageFolder: folder, targetFolder: folder.appending(path: target.displayName),
                targetName: target.displayName)
            return finder.commands(tool: tool.url, outputFolder: context.pluginWorkDirectoryURL)
        }
    }
#endif
