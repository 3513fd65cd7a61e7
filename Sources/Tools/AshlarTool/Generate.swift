import ArgumentParser
import GeneratorPipeline

struct Generate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the Swift code of a model into a folder, as the build tool plugin does.")

    @Argument(help: "The path of the model.")
    var model: String

    @Option(help: "The folder to write to.")
    var output: String

    @OptionGroup var configuration: ConfigurationArguments

    @Option(help: "Over how many files the entities are spread.")
    var shards = 1

    func validate() throws {
        if shards < 1 { throw ValidationError("There must be at least one file for the entities.") }
    }

    func run() throws {
        let options = try configuration.configuration(ofModelAtPath: model)
        let diagnostics = try FileFailure.catching("write the code to", output) {
            try GenerationRequest(modelPath: model, outputFolder: output, shards: shards).run(options)
        }
        try printFindings(diagnostics)
        if diagnostics.hasErrors { throw ExitCode(1) }
    }
}
