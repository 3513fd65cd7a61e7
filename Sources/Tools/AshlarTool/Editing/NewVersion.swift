import ArgumentParser
import Foundation
import GeneratorPipeline
import ModelFormat

struct NewVersion: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies a model's current version to a new one and makes that the current one, as Xcode's menu does.",
        discussion: """
            On macOS, call it with swift package --allow-writing-to-package-directory ashlar, or with swift run ashlar.
            """)

    @Argument(help: "The path of the .xcdatamodeld bundle; the package's only model when left out.")
    var model: String?

    @Argument(help: "The new version's name; otherwise that of the current version with the next number.")
    var name: String?

    @Flag(help: "Print the new version's name, and write nothing.")
    var dryRun = false

    @OptionGroup var configuration: ConfigurationArguments

    @OptionGroup var report: ReportArguments

    func run() throws {
        var (path, name) = (model, name)
        // A single argument is a path if it looks like one.
        if let model, name == nil, !model.contains("/"), !model.hasSuffix(".xcdatamodeld"),
            !FileManager.default.fileExists(atPath: model)
        {
            (path, name) = (nil, model)
        }
        let model = try EditArguments.path(path)
        let reader = try configuration.configuration(ofModelAtPath: model).reader(ofModelAtPath: model)
        let version = try FileFailure.catching("add a version to", model) {
            try ModelBundleEditor.addVersion(
                toBundleAtPath: model, named: name, reader: reader, isTrial: dryRun)
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
