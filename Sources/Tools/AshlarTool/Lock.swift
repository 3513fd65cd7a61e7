import ArgumentParser
import DataModel
import Foundation
import GeneratorPipeline
import ModelFormat
import SchemaMigration

struct Lock: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Locks the released versions of a model, so that a change of one of them is an error of the build.",
        discussion: """
            Writes MODEL.lock beside the model: a line for each version but the current one. Commit the file. From then \
            on the build also requires that the current version lists its deletions. Ends with status 0 when the file is \
            up to date, 1 when a released version was changed or the model has errors, 64 when it was called wrongly, \
            and 73 when the file cannot be written.
            """)

    @Argument(help: "The path of the .xcdatamodeld bundle or .xcdatamodel folder.")
    var model: String

    @Flag(help: "Lock the current version too, as it is released now.")
    var current = false

    @Flag(help: "Write all lines again, also of versions that were changed since they were locked.")
    var anew = false

    @OptionGroup var configuration: ConfigurationArguments

    @OptionGroup var report: ReportArguments

    func run() throws {
        let options = try configuration.configuration(ofModelAtPath: model)
        var (bundle, diagnostics) = options.reader(ofModelAtPath: model).read(atPath: model)
        guard let bundle, !diagnostics.hasErrors else { return try fail(diagnostics) }
        let versions = bundle.versions.prefix { $0.name != bundle.currentVersionName }
        let released = current ? Array(bundle.versions[...versions.count]) : Array(versions)
        var file = LockFile([], path: LockFile.path(of: bundle))
        if anew {
            file.append(released)
        } else {
            let existing = LockFile.read(for: bundle, reportingTo: &diagnostics)
            if let existing {
                diagnostics.report(contentsOf: existing.check(bundle))
                if current { diagnostics.report(contentsOf: review(options)) }
                file = existing
            }
            if diagnostics.hasErrors { return try fail(diagnostics) }
            file.append(released.filter { !file.versionNames.contains($0.name) })
        }
        try FileFailure.catching("write", file.path) { try file.write(modelName: bundle.name) }
        switch report.format {
        case .json:
            try CommandOutput.results.write(json: LockReport(lockFile: file.path, versions: file.versionNames.sorted()))
        case .text:
            try CommandOutput.results.write(
                line: "\(file.path): \(counted(file.versionNames.count, "version", "versions"))")
        }
    }

    /// The JSON report of the locked versions.
    private struct LockReport: Encodable {
        var version = 1
        var lockFile: String
        var versions: [String]
    }

    /// Returns the names to be decided before the current version is released.
    private func review(_ options: GeneratorConfiguration) -> Diagnostics {
        var diagnostics = Diagnostics()
        for finding in ModelPlan.make(modelPath: model, configuration: options).diagnostics.all
        where finding.severity == .error {
            diagnostics.report(finding)
        }
        return diagnostics
    }

    private func fail(_ diagnostics: Diagnostics) throws {
        try printFindings(diagnostics)
        throw ExitCode(1)
    }
}
