import DataModel
import FileErrors
import Foundation
import GeneratorPipeline

/// The program that the build tool plugin runs:
/// `AshlarGenerator TARGET TARGET-FOLDER PACKAGE-FOLDER STATE-FILE MODEL-OUTPUT ENTITIES-OUTPUT…`
let arguments = CommandLine.arguments.dropFirst().map { $0 }
guard arguments.count >= 6 else {
    let usage = "AshlarGenerator TARGET TARGET-FOLDER PACKAGE-FOLDER STATE-FILE MODEL-OUTPUT ENTITIES-OUTPUT…"
    FileHandle.standardError.write(Data("usage: \(usage)\n".utf8))
    exit(64)
}
let request = TargetRequest(
    targetName: arguments[0], targetFolder: arguments[1], packageFolder: arguments[2], statePath: arguments[3],
    outputPaths: Array(arguments[4...]))
do {
    let diagnostics = try request.run()
    for finding in diagnostics.sorted {
        FileHandle.standardError.write(Data("\(finding)\n".utf8))
    }
    exit(diagnostics.hasErrors ? 1 : 0)
} catch {
    let reason = FileErrorReason.text(error)
    let message = "\(request.outputPaths[0]): error: the generated code cannot be written: \(reason)"
    FileHandle.standardError.write(Data("\(TerminalText.line(message))\n".utf8))
    exit(1)
}
