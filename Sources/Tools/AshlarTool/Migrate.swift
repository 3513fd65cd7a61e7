import ArgumentParser
import Ashlar
import AshlarImport
import Foundation

struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Brings a store up to date with its model, as opening it in a program does.",
        discussion: """
            All is done in one transaction, or nothing. Ends with status 0 when the store is up to date, 3 when the \
            model or the store's rows do not allow it, 4 when the store cannot be read or written, 1 when the model has \
            errors, and 64 when the tool was called wrongly. With --dry-run it ends as `ashlar status` does.
            """)

    @OptionGroup var arguments: StoreArguments

    @Flag(help: "Print the statements that would be run, and change nothing.")
    var dryRun = false

    @Option(help: "Where a copy of the store is made before anything changes.")
    var backup: String?

    @Flag(help: "Leave removed data in the store, for the program to delete later.")
    var deferRemovals = false

    func run() throws {
        var report = StoreReport(store: arguments.store)
        do {
            try migrate(&report)
        } catch let error where error is StoreError || error is ImportError {
            report.add(error)
            if arguments.report.format == .json { try CommandOutput.results.write(json: report) }
            throw error
        }
        if arguments.report.format == .json { try CommandOutput.results.write(json: report) }
        if report.state == .outdated { throw ExitCode(StoreStatus.isNotCurrent.rawValue) }
    }

    private func migrate(_ report: inout StoreReport) throws {
        let given = try arguments.givenModel()
        let metadata = try ModelContainer.metadata(ofStoreAt: arguments.url)
        report.add(metadata)
        guard let path = arguments.modelPath(named: metadata.modelName) else {
            throw ValidationError("Name the model of the store with --model: \"\(metadata.modelName)\".")
        }
        let model = try given ?? StoreArguments.modelDescription(ofModelAtPath: path, arguments.configuration)
        report.model = path
        var options = MigrationOptions(backup: backup.map { URL(fileURLWithPath: $0) }, defersRemovals: deferRemovals)
        options.programName = "ashlar migrate"
        let plan = try ModelContainer.plannedMigration(ofStoreAt: arguments.url, for: model, options: options)
        report.plan = StoreReport.Plan(plan)
        report.state = plan.isNeeded ? .outdated : .current
        report.isMigrated = false
        if dryRun { try printStatements(plan) }
        try say(Status.summary(plan))
        guard plan.isNeeded, !dryRun else { return }
        let printer = ProgressPrinter()
        do {
            try ModelContainer.migrateStore(at: arguments.url, for: model, options: options) { printer.tell($0) }
        } catch {
            try printer.finish()
            throw error
        }
        try printer.finish()
        report.add(try ModelContainer.metadata(ofStoreAt: arguments.url))
        report.state = .current
        report.isMigrated = true
        try say("Done.")
    }

    private func printStatements(_ plan: PlannedMigration) throws {
        guard arguments.report.format == .text else { return }
        for step in plan.steps {
            let statements = step.statements.map { $0 + ";\n" }.joined()
            try CommandOutput.results.write(data: "-- \(step.source) -> \(step.destination)\n\(statements)")
        }
    }

    private func say(_ text: String) throws {
        if arguments.report.format == .text { try CommandOutput.results.write(line: text) }
    }
}
