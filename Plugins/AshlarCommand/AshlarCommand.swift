import Foundation
import PackagePlugin

/// `swift package ashlar …` runs the command line tool in the package's folder.
///
/// With the trait `PrebuiltGenerator`, it runs the prebuilt tool and builds nothing. Otherwise it builds the tool as
/// `swift run ashlar` does, for the same platform as the package. So the runtime, which is most of the tool, is
/// compiled once for both; for a tool of the plugin, it would be compiled a second time.
@main
struct AshlarCommand: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let process = Process()
        process.executableURL = try (try? context.tool(named: "AshlarPrebuilt"))?.url ?? builtTool()
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        var environment = ProcessInfo.processInfo.environment
        environment["ASHLAR_PACKAGE_IDENTITY"] = Self.identity(in: context.package)
        process.environment = environment
        // SwiftPM writes the output of a plugin to standard output, whichever stream it was printed to.
        let messages = Pipe()
        process.standardError = messages
        try process.run()
        var relay = MessageRelay()
        while true {
            let data = messages.fileHandleForReading.availableData
            if data.isEmpty { break }
            relay.add(data)
        }
        relay.finish()
        process.waitUntilExit()
        if process.terminationStatus != 0 {
            throw AshlarCommandError.ended(status: process.terminationStatus)
        }
    }

    private func builtTool() throws -> URL {
        let parameters = PackageManager.BuildParameters(configuration: .debug, logging: .concise, echoLogs: true)
        let result = try packageManager.build(.product("ashlar"), parameters: parameters)
        guard result.succeeded else { throw AshlarCommandError.notBuilt(log: result.logText) }
        let tool = result.builtArtifacts.first { artifact in
            artifact.kind == .executable && artifact.url.deletingPathExtension().lastPathComponent == "ashlar"
        }
        guard let tool else { throw AshlarCommandError.notFound }
        return tool.url
    }

    /// The identity of this plugin's package in the package's manifest.
    private static func identity(in package: Package) -> String? {
        package.dependencies.map(\.package).first { candidate in
            candidate.products.contains { $0.name == "AshlarPlugin" || $0.name == "AshlarTesting" }
        }?.id
    }
}

enum AshlarCommandError: Error, CustomStringConvertible {
    case ended(status: Int32)
    case notBuilt(log: String)
    case notFound

    var description: String {
        switch self {
        case .ended(let status):
            "ashlar ended with status \(status). SwiftPM makes 1 of it; `swift run ashlar` ends with the status itself."
        case .notBuilt(let log): "The tool cannot be built:\n\(log)"
        case .notFound: "SwiftPM does not say where it built the tool. Use `swift run ashlar`."
        }
    }
}
