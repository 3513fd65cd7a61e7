import ArgumentParser
import DataModel
import Foundation
import GeneratorPipeline
import IndexAdvice
import ModelFormat
import RelationalSchema

struct Advise: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Finds the indexes that a model lacks, and those that it has for nothing.",
        discussion: """
            Fetch request templates and recorded statements are put before SQLite's planner, and never run. Ends with \
            status 0 when there is nothing to advise or --fix wrote it, 1 when there is advice or the model has errors, \
            64 when it was called wrongly, 66 when a file cannot be read, and 73 when one cannot be written. \
            Documentation/Advice.md explains the rest.
            """)

    @Argument(help: "The path of the .xcdatamodeld bundle or .xcdatamodel folder.")
    var model: String

    @Option(help: "A store of the model, to count rows in. It is only read.")
    var store: String?

    @Option(help: "A file of statements that a program ran, which ASHLAR_SQL_RECORD=FILE makes it write.")
    var queries: [String] = []

    @OptionGroup var configuration: ConfigurationArguments

    @Option(help: "How to print: text, or json on standard output.")
    var format = ReportFormat.text

    @Flag(help: "Write the indexes that are missing into the current version.")
    var fix = false

    @Flag(help: "With --fix: show the changes as a patch, and write nothing.")
    var dryRun = false

    @Flag(help: "With --fix: also remove useless indexes.")
    var removeUnused = false

    func validate() throws {
        if !fix && (dryRun || removeUnused) { throw ValidationError("--dry-run and --remove-unused go with --fix.") }
    }

    func run() throws {
        let schema = try readModel()
        let recording = try queries.isEmpty ? nil : RecordingArguments.read(queries)
        let sample = try store.map { path in
            try RecordingArguments.reading { () throws(StoreSample.Failure) in
                try StoreSample(ofStoreAt: URL(fileURLWithPath: path))
            }
        }
        let advisor = IndexAdvisor(schema, sample: sample, recording: recording)
        var advice = advisor.advice(on: IndexAdvisor.queries(of: schema) + (recording?.queries ?? []))
        advice.removals = advisor.removals(after: recording == nil ? nil : advice.findings)
        let report = AdviceReport(advice, unreadableLineCount: recording?.unreadableLineCount ?? 0)
        if !dryRun {
            switch format {
            case .text: try CommandOutput.results.write(text: report.text)
            case .json: try CommandOutput.results.write(data: String(decoding: report.json(), as: UTF8.self))
            }
        }
        if fix { return try write(advice) }
        if !advice.isEmpty { throw ExitCode(1) }
    }

    private func readModel() throws -> Schema {
        let options = try configuration.configuration(ofModelAtPath: model)
        let (plan, found) = ModelPlan.make(modelPath: model, configuration: options)
        guard let plan else {
            try printFindings(found)
            throw ExitCode(1)
        }
        return plan.schema
    }

    /// Writes the additions, and the removals if they are requested.
    private func write(_ advice: IndexAdvice) throws {
        var changes = advice.additions.map(\.change)
        if removeUnused { changes += advice.removals.map(\.change) }
        if changes.isEmpty { return }
        let file = try ModelFixer.changedFile(by: changes)
        if !dryRun { return try ModelFixer.write(file) }
        try CommandOutput.results.write(
            data: LineDifference(from: file.before, to: file.after).patch(ofFile: file.path))
        throw ExitCode(1)
    }
}
