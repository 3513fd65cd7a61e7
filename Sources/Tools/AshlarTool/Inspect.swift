import ArgumentParser
import Ashlar
import AshlarImport
import Foundation
import IndexAdvice
import StoreInspection

struct Inspect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the contents and the state of a store, or of any SQLite file.",
        discussion: """
            Changes nothing, also where a program has the store open or the folder cannot be written. A model is not \
            needed; with one, the store is compared with it, as by `ashlar status`. Ends with status 0, with 3 when \
            the file is not a database, 4 when it cannot be read or is damaged, 64 when the tool was called wrongly, \
            and 66 when a recording cannot be read.

            swift run ashlar inspect Feed.store --queries queries.jsonl
            """)

    @OptionGroup var arguments: StoreArguments

    @Option(help: "A file of statements that a program ran, which ASHLAR_SQL_RECORD=FILE makes it write.")
    var queries: [String] = []

    @Flag(help: "Skip the parts that read the whole file: the bytes of tables and indexes, and SQLite's checks.")
    var quick = false

    func run() throws {
        let comparison = try arguments.model == nil ? nil : comparison()
        var inspector = StoreInspector()
        inspector.isQuick = quick
        if !queries.isEmpty { inspector.recording = try RecordingArguments.read(queries) }
        let inspection: StoreInspection
        do {
            inspection = try inspector.inspect(arguments.url)
        } catch let error as StoreError {
            if arguments.report.format == .json {
                try CommandOutput.results.write(
                    json: Report(store: arguments.store, error: AshlarTool.message(for: error)))
            }
            throw error
        }
        switch arguments.report.format {
        case .json:
            try CommandOutput.results.write(
                json: Report(
                    store: arguments.store, inspection: inspection, comparison: comparison?.report,
                    unreadableLines: inspector.recording?.unreadableLineCount))
        case .text:
            var text = InspectionText(inspection, path: arguments.store).lines + (comparison?.lines ?? [])
            if let lines = inspector.recording?.unreadableLineCount, lines > 0 {
                text.append(
                    "\(counted(lines, "line", "lines")) of the recording cannot be read, and count for no index.")
            }
            try CommandOutput.results.write(line: text.joined(separator: "\n"))
        }
        if inspection.isDamaged { throw ExitCode(StoreStatus.isUnavailable.rawValue) }
    }

    /// The comparison of the store with the model.
    private func comparison() throws -> (report: StoreReport, lines: [String]) {
        var report = StoreReport(store: arguments.store)
        var lines: [String] = []
        do {
            try arguments.look(&report, &lines)
        } catch let error where error is StoreError || error is ImportError {
            report.add(error)
            if let message = report.error { lines.append(message) }
        }
        return (report, lines)
    }

    /// The JSON report of the findings, in addition to the common fields.
    private struct Report: Encodable {
        enum Key: String, CodingKey {
            case version, store, comparison, error, unreadableLines
        }

        var store: String
        var inspection: StoreInspection?
        var comparison: StoreReport?
        var error: String?
        /// The number of lines of the recording that are not statements.
        var unreadableLines: Int?

        func encode(to encoder: any Encoder) throws {
            try inspection?.encode(to: encoder)
            var values = encoder.container(keyedBy: Key.self)
            try values.encode(1, forKey: .version)
            try values.encode(store, forKey: .store)
            try values.encodeIfPresent(comparison, forKey: .comparison)
            try values.encodeIfPresent(error, forKey: .error)
            try values.encodeIfPresent(unreadableLines, forKey: .unreadableLines)
        }
    }
}
