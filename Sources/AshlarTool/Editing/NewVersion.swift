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

    @Argument(
        help: ArgumentHelp(
            """
            The path of the .xcdatamodeld bundle, which may be left out in a package with one model, and the new version's \
            name; otherwise that of the current version with the next number.
            """, valueName: "model> <name"))
    var arguments: [String] = []

    @Flag(help: "Print the new version's name, and write nothing.")
    var dryRun = false

    @OptionGroup var configuration: ConfigurationArguments

    @OptionGroup var report: ReportArguments

    func validate() throws {
        if arguments.count > 2 { throw ValidationError("Give the path of the bundle and the new version's name.") }
    }

    func run() throws {
        var names = arguments
        let isPath = names.count == 2 || names.first?.contains { $0 == "/" || $0 == "." } == true
        let isThere = names.first.map { FileManager.default.fileExists(atPath: $0) } ?? false
        let given = isPath || isThere ? names.removeFirst() : nil
        let model = try EditArguments.path(given)
        let reader = try configuration.configuration(ofModelAtPath: model).reader(ofModelAtPath: model)
        let version = try FileFailure.catching("add a version to", model) {
            try ModelBundleEditor.addVersion(
                toBundleAtPath: model, named: names.first, reader: reader, isTrial: dryRun)
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
