import ArgumentParser
import DataModel
import Foundation
import GeneratorPipeline
import IndexAdvice
import ModelFormat

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reads, checks and plans models, and prints all that is wrong with them.",
        discussion: """
            Ends with status 0 when no model has errors, 1 when one has, 64 when it was called wrongly, and 73 when a \
            file cannot be written. With --dry-run it ends with 1 when there is something to fix. \
            Documentation/Diagnostics.md explains each code.
            """)

    @Argument(help: "The paths of .xcdatamodeld bundles or .xcdatamodel folders.")
    var models: [String]

    @Option(help: "How to print: text as compilers do, or json on standard output.")
    var format = ReportFormat.text

    @Flag(help: "Apply the fixes that need no decision first, and print what is left.")
    var fix = false

    @Flag(help: "With --fix: show the changes as a patch, and write nothing.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            """
            With --fix: a code of which a fix is applied too, although it changes the model: the first, or another one \
            with =2, =3 … or =last.
            """, valueName: "code[=fix]"))
    var also: [ChosenFix] = []

    @OptionGroup var configuration: ConfigurationArguments

    func validate() throws {
        if !fix && (dryRun || !also.isEmpty) { throw ValidationError("--dry-run and --also go with --fix.") }
    }

    func run() throws {
        var report = FindingReport()
        var hasErrors = false
        for path in models {
            let options = try configuration.configuration(ofModelAtPath: path)
            if fix {
                let hasFixes = try applyFixes(path, options, &report)
                if dryRun {
                    hasErrors = hasErrors || hasFixes
                    continue
                }
            }
            var (plan, diagnostics) = ModelPlan.make(modelPath: path, configuration: options)
            hasErrors = hasErrors || diagnostics.hasErrors
            var resolver = FindingResolver()
            // Not a build's business: asking SQLite takes longer than all else, and needs the runtime.
            if let plan { diagnostics.report(contentsOf: resolver.resolved(IndexAdvisor.check(plan.schema))) }
            switch format {
            case .json: report.add(diagnostics, resolver: &resolver)
            case .text: try printText(path, plan, diagnostics, &resolver)
            }
        }
        if format == .json && !dryRun {
            try CommandOutput.results.write(data: String(decoding: report.json(), as: UTF8.self))
        }
        if hasErrors { throw ExitCode(1) }
    }

    private func printText(
        _ path: String, _ plan: ModelPlan?, _ diagnostics: Diagnostics, _ resolver: inout FindingResolver
    ) throws {
        for finding in diagnostics.sorted { try printFinding(finding, &resolver) }
        if let plan {
            let entities = counted(plan.schema.graph.model.entities.count, "entity", "entities")
            let versions = counted(plan.versions.count, "version", "versions")
            try CommandOutput.results.write(line: "\(path): \(entities), \(versions)")
        }
    }
}

/// A code, with the fix of its findings that is to be made.
struct ChosenFix: ExpressibleByArgument {
    var code: Diagnostic.Code
    var choice = FixChoice.first

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let code = Diagnostic.Code(rawValue: String(parts[0])) else { return nil }
        self.code = code
        if parts.count == 1 { return }
        guard let choice = FixChoice(String(parts[1])) else { return nil }
        self.choice = choice
    }
}
