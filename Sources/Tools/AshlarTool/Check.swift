import ArgumentParser
import DataModel
import Foundation
import GeneratorPipeline
import IndexAdvice
import ModelFormat

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks models, or the data of a store, and prints the problems.",
        discussion: """
            A model is read, checked and planned. Ends with status 0 when no model has errors, 1 when one has, 64 when \
            it was called wrongly, and 73 when a file cannot be written. With --dry-run it ends with 1 when there is \
            something to fix. Documentation/Diagnostics.md explains each code.

            In a store, which is a file that begins as SQLite's do, or any file with --model, the command finds data \
            that violates the model. Nothing is changed without --repair. Ends with status 0 when the store is sound, \
            1 when problems are left, 3 when the model has no such version or the file is another program's, 4 when \
            the store is too damaged to check, or cannot be read or written, and 64 when the tool was called wrongly. \
            Documentation/CommandLine.md lists the checks.

            swift run ashlar check Feed.store --model Models/Feed.xcdatamodeld
            """)

    @Argument(help: "The paths of .xcdatamodeld bundles or .xcdatamodel folders, or of stores.")
    var paths: [String]

    @Option(help: "How to print: text as compilers do, or json on standard output.")
    var format = ReportFormat.text

    @Flag(help: "Apply the fixes that need no decision first, and print the remaining problems.")
    var fix = false

    @Flag(help: "With --fix: show the changes as a patch, and write nothing.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            """
            With --fix: a code whose fix is applied too, although it changes the model: the first, or another one \
            with =2, =3 … or =last.
            """, valueName: "code[=fix]"))
    var also: [ChosenFix] = []

    @Option(
        help:
            "For a store: the path of the model; when left out, the one in this package that has the name of the store's."
    )
    var model: String?

    @Flag(help: "For a store: make a backup, repair computed data, and print the remaining problems.")
    var repair = false

    @Option(
        help: ArgumentHelp(
            "With --repair: where the backup is made, in place of STORE.before-repair.", valueName: "file"))
    var backup: String?

    @OptionGroup var configuration: ConfigurationArguments

    func validate() throws {
        if backup != nil, !repair { throw ValidationError("--backup goes with --repair.") }
        if backup != nil, paths.count > 1 { throw ValidationError("--backup works with one store only.") }
        if fix, model != nil || repair { throw ValidationError("--fix needs a model, --model and --repair a store.") }
        if !fix && (dryRun || !also.isEmpty) { throw ValidationError("--dry-run and --also go with --fix.") }
    }

    func run() throws {
        let stores = paths.filter { model != nil || repair || Self.isDatabase($0) }
        if stores.isEmpty { return try checkModels() }
        if stores.count < paths.count || fix {
            throw ValidationError("Models and stores are checked one after the other: \(stores[0]) is a store.")
        }
        try checkStores()
    }

    private func checkModels() throws {
        let models = paths
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
            diagnostics.report(contentsOf: Self.advice(plan, ofModelAtPath: path, &resolver))
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

    /// The findings that a build leaves out, because asking SQLite takes longer than everything else, and needs the
    /// runtime.
    static func advice(
        _ plan: ModelPlan?, ofModelAtPath path: String, _ resolver: inout FindingResolver
    ) -> Diagnostics {
        var diagnostics = Diagnostics()
        if let plan { diagnostics.report(contentsOf: resolver.resolved(IndexAdvisor.check(plan.schema))) }
        if let finding = UnbuiltModel.finding(ofModelAtPath: path) { diagnostics.report(finding) }
        return diagnostics
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
