import DataModel
import FileErrors
import Foundation

/// The command line of the build tool plugin, which `AshlarGenerator` and the prebuilt `ashlar` share.
package enum GeneratorCommand {
    /// The first argument that makes `ashlar` the generator. No help lists it, because only the plugin writes it.
    package static let name = "generate-target"

    private static let usage =
        "TARGET TARGET-FOLDER PACKAGE-FOLDER STATE-FILE MODEL-OUTPUT ENTITIES-OUTPUT…"

    /// Generates a target's code, and prints the findings to standard error.
    ///
    /// - Parameter arguments: The target's name, its folder, the package's folder, the file of the state, and the outputs.
    /// - Returns: The exit status: 0, 1 after an error, 64 for wrong arguments.
    package static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count >= 6 else {
            print("usage: AshlarGenerator \(usage)")
            return 64
        }
        let request = TargetRequest(
            targetName: arguments[0], targetFolder: arguments[1], packageFolder: arguments[2], statePath: arguments[3],
            outputPaths: Array(arguments[4...]))
        do {
            let diagnostics = try request.run()
            for finding in diagnostics.sorted { print("\(finding)") }
            return diagnostics.hasErrors ? 1 : 0
        } catch {
            let reason = FileErrorReason.text(error)
            let message = "\(request.outputPaths[0]): error: the generated code cannot be written: \(reason)"
            print(TerminalText.line(message))
            return 1
        }
    }

    private static func print(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
}
