import ArgumentParser
import GeneratorPipeline
import ModelFormat

struct NewVersion: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies a model's current version to a new one and makes that the current one, as Xcode's menu does.")

    @Argument(help: "The path of the .xcdatamodeld bundle.")
    var model: String

    @Argument(help: "The new version's name; otherwise that of the current version with the next number.")
    var name: String?

    @OptionGroup var configuration: ConfigurationArguments

    @OptionGroup var report: ReportArguments

    func run() throws {
        let reader = try configuration.configuration(ofModelAtPath: model).reader(ofModelAtPath: model)
        let version = try FileFailure.catching("add a version to", model) {
            try ModelBundleEditor.addVersion(toBundleAtPath: model, named: name, reader: reader)
        }
        switch report.format {
        case .json: try CommandOutput.results.write(json: NewVersionReport(model: model, modelVersion: version))
        case .text: try CommandOutput.results.write(line: version)
        }
    }

    /// The version that was made, as JSON.
    private struct NewVersionReport: Encodable {
        var version = 1
        var model: String
        var modelVersion: String
    }
}
