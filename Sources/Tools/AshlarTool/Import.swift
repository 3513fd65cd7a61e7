import ArgumentParser
import Ashlar
import AshlarImport
import CachedModels
import Foundation
import ModelFormat

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a store of one that Core Data or SwiftData wrote.",
        discussion: """
            The old store's version is found by its tables; it is copied, checked and brought up to date, and nothing \
            of it is changed. Ends with status 0 when it was imported, 3 when its version or its data do not allow it, \
            4 when a store cannot be read or written, 1 when the model has errors, and 64 when the tool was called \
            wrongly.

            swift run ashlar import PhotoFeed.sqlite --model Models/PhotoFeed.xcdatamodeld --to PhotoFeed.store

            Of a store without a model, as SwiftData writes it from classes, the model is made first:

            swift run ashlar import default.store --make-model Models/Trips.xcdatamodeld
            """)

    @Argument(help: "The path of the old store's file.")
    var old: String

    @Option(help: "The path of the model.")
    var model: String?

    @Option(
        help: ArgumentHelp(
            "Make a model from the store's own description, and import nothing.", valueName: "path.xcdatamodeld"))
    var makeModel: String?

    @Option(name: .customLong("to"), help: "The path of the new store's file, where there must be none.")
    var target: String?

    @Flag(help: "Print the report of the import, and make nothing.")
    var dryRun = false

    @Flag(
        help: """
            Replace values that the model does not allow by nil or the default, and leave out data that cannot be \
            repaired; else nothing is imported.
            """)
    var repair = false

    @Flag(help: "Bring the persistent history too, which the new store goes on with.")
    var history = false

    @Option(help: "How the report is written.")
    var format = ReportFormat.text

    @OptionGroup var configuration: ConfigurationArguments

    func validate() throws {
        if makeModel != nil { return }
        if model == nil {
            throw ValidationError("Name the model of the store with --model, or make it with --make-model.")
        }
        if target == nil, !dryRun {
            throw ValidationError("Say where the new store will be with --to, or ask with --dry-run.")
        }
    }

    func run() throws {
        if let makeModel { return try writeModel(to: makeModel) }
        let description = try StoreArguments.modelDescription(
            ofModelAtPath: model ?? "", configuration, describesEntities: true)
        var source = StoreImport(url: URL(fileURLWithPath: old))
        source.repairsData = repair
        source.includesHistory = history
        let printer = ProgressPrinter()
        var options = MigrationOptions()
        options.programName = "ashlar import"
        let report: ImportReport
        do {
            report = try importing(source, description, options, printer)
        } catch let error as ImportError where format == .json {
            if let report = error.report { try printJSON(report) }
            try printError(error.reason)
            throw ExitCode(StoreStatus(error).rawValue)
        }
        switch format {
        case .json: try printJSON(report)
        case .text:
            var lines = ["\(report)"] + report.findings.map { "    \($0)" }
            if report.findingCount > report.findings.count {
                lines.append("    and \(report.findingCount - report.findings.count) more")
            }
            lines.append(dryRun ? "Nothing was imported." : "Done.")
            try CommandOutput.results.write(line: lines.joined(separator: "\n"))
        }
    }

    /// Writes the model that the store keeps, for its author to go on with.
    private func writeModel(to path: String) throws {
        let url = URL(fileURLWithPath: path)
        guard url.pathExtension == "xcdatamodeld" else {
            throw ValidationError("A model's name ends with .xcdatamodeld.")
        }
        let bytes = try ModelContainer.cachedModel(ofStoreAt: URL(fileURLWithPath: old))
        guard let bytes else {
            try printError("The store keeps no model. Only the program that wrote it has one.")
            throw ExitCode(StoreStatus.isRefused.rawValue)
        }
        let model: CachedModel
        do {
            model = try CachedModel(bytes)
        } catch {
            try printError("\(error)")
            throw ExitCode(StoreStatus.isRefused.rawValue)
        }
        _ = try FileFailure.catching("make the model", path) {
            try ModelBundleEditor.makeModel(
                named: url.deletingPathExtension().lastPathComponent,
                inFolder: url.deletingLastPathComponent().path, contents: model.document)
        }
        if format == .json {
            return try CommandOutput.results.write(
                json: MadeModelReport(model: path, entities: model.entityNames, toDecide: model.notes)
            )
        }
        var lines = ["\(path): \(counted(model.entityNames.count, "entity", "entities")), as the store keeps them."]
        lines += model.notes.map { "    To be decided: \($0)" }
        lines.append(
            "Add the parts that a store does not keep, or not in a known form: types of transformable values, "
                + "fetch requests.")
        try CommandOutput.results.write(line: lines.joined(separator: "\n"))
    }

    private func importing(
        _ source: StoreImport, _ description: ModelDescription, _ options: MigrationOptions, _ printer: ProgressPrinter
    ) throws -> ImportReport {
        let work = { () throws -> ImportReport in
            if let target, !dryRun {
                return try ModelContainer.importStore(
                    source, to: URL(fileURLWithPath: target), for: description, migration: options
                ) { printer.tell($0) }
            }
            return try ModelContainer.plannedImport(of: source, for: description) { printer.tell($0) }
        }
        let report: ImportReport
        do {
            report = try work()
        } catch {
            try printer.finish()
            throw error
        }
        try printer.finish()
        return report
    }

    /// The JSON report of `--make-model`.
    private struct MadeModelReport: Encodable {
        var version = 1
        var model: String
        var entities: [String]
        /// The decisions that a person must make.
        var toDecide: [String]
    }

    private func printJSON(_ report: ImportReport) throws {
        try CommandOutput.results.write(json: report)
    }
}
