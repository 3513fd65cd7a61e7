import ArgumentParser
import GeneratorPipeline
import ModelFormat

struct NewVersion: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies a model's current version to a new one and makes that the current one, as Xcode's menu does.")

    @Argument(help: "The path of the .xcdatamodeld bundle.")
    var model: String

    @OptionGroup var configuration: ConfigurationArguments

    @OptionGroup var report: ReportArguments

    func run() throws {
        let reader = try configuration.configuration(ofModelAtPath: model).reader(ofModelAtPath: model)
        let name = try FileFailure.catching("add a version to", model) {
            try ModelBundleEditor.addVersion(toBundleAtPath: model, reader: reader)
        }
        switch report.format {
        case .json: try CommandOutput.results.write(json: NewVersionReport(model: model, modelVersion: name))
        case .text: try CommandOutput.results.write(line: name)
        }
    }

    /// The version that was made, as JSON.
    private struct NewVersionReport: Encodable {
        var version = 1
        var model: String
        var modelVersion: String
    }
}
