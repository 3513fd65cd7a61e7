import ArgumentParser
import DataModel
import Foundation
import GeneratorPipeline
import ModelDiagram
import ModelFormat

struct DiagramCommand: ParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case svg, mermaid, dot
    }

    static let configuration = CommandConfiguration(
        commandName: "diagram",
        abstract: "Draws a version of a model: its entities, relationships, inheritance and indexes.",
        discussion: "Nothing is drawn, and it ends with status 1, when the model cannot be read without errors.")

    @Argument(help: "The path of the model.")
    var model: String

    @Option(help: "A picture, or text for Mermaid or for Graphviz.")
    var format = Format.svg

    @Option(help: "The version; the current one when left out.")
    var version: String?

    @Option(help: "The file to write; standard output when left out.")
    var output: String?

    @OptionGroup var configuration: ConfigurationArguments

    func run() throws {
        var reader = try configuration.configuration(ofModelAtPath: model).reader(ofModelAtPath: model)
        if let version { reader.currentVersionName = version }
        let (bundle, diagnostics) = reader.read(atPath: model)
        try printFindings(diagnostics)
        guard let bundle, !diagnostics.hasErrors, let current = bundle.currentVersion else { throw ExitCode(1) }
        // A model without a bundle has only one version.
        if let version, current.name != ModelPlan.name(ofModelAtPath: version) {
            throw ValidationError("There is no version \(version); there is only \(current.name).")
        }
        let diagram = Diagram(ModelGraph(current))
        let text =
            switch format {
            case .svg: diagram.svg
            case .mermaid: diagram.mermaid
            case .dot: diagram.dot
            }
        if let output {
            try OutputFile.write(text, to: output)
        } else {
            try CommandOutput.results.write(data: text)
        }
    }
}
