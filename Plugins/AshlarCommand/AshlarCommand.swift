import Foundation
import PackagePlugin

/// `swift package ashlar …` runs the command line tool in the package's folder.
@main
struct AshlarCommand: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let tool = try context.tool(named: "AshlarTool")
        let process = Process()
        process.executableURL = tool.url
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 {
            throw AshlarCommandError(status: process.terminationStatus)
        }
    }
}

struct AshlarCommandError: Error, CustomStringConvertible {
    var status: Int32
    var description: String { "ashlar ended with status \(status)" }
}
