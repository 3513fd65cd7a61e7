import DataModel
import FileErrors
import Foundation
import GeneratorPipeline

/// What the build tool plugin runs: `AshlarGenerator MODEL OUTPUT-FOLDER SHARDS [CONFIGURATION]`, and
/// `AshlarGenerator --error MESSAGE` to have the build of a target fail whose model cannot be found.
let arguments = CommandLine.arguments.dropFirst().map { $0 }
if arguments.count == 2, arguments[0] == "--error" {
    FileHandle.standardError.write(Data("\(arguments[1])\n".utf8))
    exit(1)
}
guard arguments.count == 3 || arguments.count == 4, let shards = Int(arguments[2]), shards > 0 else {
    FileHandle.standardError.write(Data("usage: AshlarGenerator MODEL OUTPUT-FOLDER SHARDS [CONFIGURATION]\n".utf8))
    exit(64)
}
let request = GenerationRequest(
    modelPath: arguments[0], outputFolder: arguments[1], configurationPath: arguments.count == 4 ? arguments[3] : nil,
    shards: shards)
do {
    let diagnostics = try request.run()
    for finding in diagnostics.sorted {
        FileHandle.standardError.write(Data("\(finding)\n".utf8))
    }
    exit(diagnostics.hasErrors ? 1 : 0)
} catch {
    let reason = FileErrorReason.text(error)
    let message = "\(request.outputFolder): error: the generated code cannot be written: \(reason)"
    FileHandle.standardError.write(Data("\(TerminalText.line(message))\n".utf8))
    exit(1)
}
