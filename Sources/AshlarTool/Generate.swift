import ArgumentParser
import GeneratorPipeline

struct Generate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the Swift code of a model into a folder, as the build tool plugin does.")

    @Argument(help: "The path of the model.")
    var model: String

    @Option(help: "The folder to write to.")
    var output: String

    @Option(help: "The path of an ashlar.json.")
    var configuration: String?

    @Option(help: "Over how many files the entities are spread.")
    var shards = 1

    func validate() throws {
        if shards < 1 { throw ValidationError("There must be at least one file for the entities.") }
    }

    func run() throws {
        let request = GenerationRequest(
            modelPath: model, outputFolder: output, configurationPath: configuration, shards: shards)
        let diagnostics = try request.run()
        printFindings(diagnostics)
        if diagnostics.hasErrors { throw ExitCode(1) }
    }
}
