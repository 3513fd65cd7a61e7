import ArgumentParser
import Ashlar
import Foundation

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a store of one that Core Data or SwiftData wrote.",
        discussion: """
            The old store's version is found by its tables; it is copied, checked and brought up to date, and nothing of it is \
            changed. Ends with status 0 when it was imported, 3 when its version or its data do not allow it, 4 when a store \
            cannot be read or written, 1 when the model has errors, and 64 when the tool was called wrongly.

            swift run ashlar import PhotoFeed.sqlite --model Models/PhotoFeed.xcdatamodeld --to PhotoFeed.store
            """)

    /// What the report is written as.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    @Argument(help: "The path of the old store's file.")
    var old: String

    @Option(help: "The path of the model.")
    var model: String

    @Option(name: .customLong("to"), help: "The path of the new store's file, where there must be none.")
    var target: String?

    @Flag(help: "Say what would be imported, and make nothing.")
    var dryRun = false

    @Flag(
        help: """
            Replace values that the model does not allow by nil or the default, and leave out what cannot be; else nothing is \
            imported.
            """)
    var repair = false

    @Option(help: "How the report is written.")
    var format = Format.text

    @OptionGroup var configuration: ConfigurationArguments

    func validate() throws {
        if target == nil, !dryRun {
            throw ValidationError("Say where the new store will be with --to, or ask with --dry-run.")
        }
    }

    func run() throws {
        let description = try StoreArguments.modelDescription(ofModelAtPath: model, configuration)
        var source = StoreImport(url: URL(fileURLWithPath: old))
        source.repairsData = repair
        let printer = ProgressPrinter()
        var options = MigrationOptions()
        options.programName = "ashlar import"
        let report: ImportReport
        do {
            report = try importing(source, description, options, printer)
        } catch let error as ImportError where format == .json {
            if let report = error.report { try printJSON(report) }
            FileHandle.standardError.write(Data("\(error.reason)\n".utf8))
            throw ExitCode(StoreStatus(error).rawValue)
        }
        switch format {
        case .json: try printJSON(report)
        case .text:
            print(report)
            for finding in report.findings { print("    \(finding)") }
            if report.findingCount > report.findings.count {
                print("    and \(report.findingCount - report.findings.count) more")
            }
            print(dryRun ? "Nothing was imported." : "Done.")
        }
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
        // The report of what is wrong is the answer that a program asked for.
        return format == .json ? try work() : try StoreArguments.reporting(work)
    }

    private func printJSON(_ report: ImportReport) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(report), as: UTF8.self))
    }
}
