import ArgumentParser
import Ashlar
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

    @Flag(help: "Leave what was removed in the store, for the program to take away later.")
    var deferRemovals = false

    func run() throws {
        let model = try arguments.modelDescription()
        var options = MigrationOptions(backup: backup.map { URL(fileURLWithPath: $0) }, defersRemovals: deferRemovals)
        options.programName = "ashlar migrate"
        let plan = try arguments.reporting {
            try ModelContainer.plannedMigration(ofStoreAt: arguments.url, for: model, options: options)
        }
        if dryRun {
            for step in plan.steps {
                print("-- \(step.source) -> \(step.destination)")
                for statement in step.statements { print(statement + ";") }
            }
        }
        print(Status.summary(plan))
        guard plan.isNeeded else { return }
        if dryRun { throw ExitCode(StoreStatus.isNotCurrent.rawValue) }
        let printer = ProgressPrinter()
        try arguments.reporting {
            try ModelContainer.migrateStore(at: arguments.url, for: model, options: options) { printer.tell($0) }
        }
        print("Done.")
    }
}
