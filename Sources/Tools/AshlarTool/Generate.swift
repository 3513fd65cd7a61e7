import ArgumentParser
import DataModel
import GeneratorPipeline

struct Generate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the Swift code of a model into a folder, as the build tool plugin does.",
        discussion: """
            Use it to commit the generated code, and build the target without the plugin. With --check nothing is written: \
            the command ends with status 1 if the folder does not have the code that the model gives, and lists the files. \
            On macOS, call it with swift package --allow-writing-to-package-directory ashlar, or with swift run ashlar.
            """)

    @Argument(help: "The path of the model.")
    var model: String

    @Option(help: "The folder to write to.")
    var output: String

    @OptionGroup var configuration: ConfigurationArguments

    @Option(help: "Over how many files the entities are spread.")
    var shards = 1

    @Flag(help: "Compare the folder with the model, and write nothing.")
    var check = false

    func validate() throws {
        if shards < 1 { throw ValidationError("There must be at least one file for the entities.") }
    }

    func run() throws {
        let options = try configuration.configuration(ofModelAtPath: model)
        let request = GenerationRequest(modelPath: model, outputFolder: output, shards: shards)
        var stale: [GenerationRequest.StaleFile] = []
        var diagnostics = Diagnostics()
        if check {
            (diagnostics, stale) = request.staleFiles(options)
        } else {
            diagnostics = try FileFailure.catching("write the code to", output) { try request.run(options) }
        }
        try printFindings(diagnostics)
        for file in stale { try CommandOutput.results.write(line: file.line) }
        if !stale.isEmpty { try printError("The code is not that of \(model). Generate it again without --check.") }
        if diagnostics.hasErrors || !stale.isEmpty { throw ExitCode(1) }
    }
}

extension GenerationRequest.StaleFile {
    /// The line that names the file and its difference.
    fileprivate var line: String {
        switch reason {
        case .missing: "\(path): does not exist"
        case .different: "\(path): differs from the generated code"
        case .superfluous: "\(path): is no longer generated"
        }
    }
}
