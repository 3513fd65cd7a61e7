import ArgumentParser
import Ashlar
import Foundation

struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tells which version of its model a store is of, and what opening it would do.",
        discussion: """
            Changes nothing. A store that Core Data or SwiftData wrote is told, with its version. Ends with status 0 when the store is up to date, 2 when it would be migrated or its schema \
            updated, 3 when it cannot be, 4 when it cannot be read, 1 when the model has errors, and 64 when the tool was \
            called wrongly.
            """)

    @OptionGroup var arguments: StoreArguments

    func run() throws {
        let model = try arguments.modelDescription()
        if try arguments.reporting({ try ModelContainer.isCoreDataStore(at: arguments.url) }) {
            print(try arguments.reporting { try ModelContainer.recognizedStore(at: arguments.url, for: model) })
            print("Import it with `ashlar import`.")
            throw ExitCode(StoreStatus.isNotCurrent.rawValue)
        }
        let plan = try arguments.reporting {
            for record in try ModelContainer.migrationHistory(ofStoreAt: arguments.url) { print(Self.line(record)) }
            return try ModelContainer.plannedMigration(
                ofStoreAt: arguments.url, for: model, options: MigrationOptions())
        }
        print(Self.summary(plan))
        if plan.isNeeded { throw ExitCode(StoreStatus.isNotCurrent.rawValue) }
    }

    private static func line(_ record: MigrationRecord) -> String {
        let what =
            switch record.kind {
            case .migration: "migrated from \"\(record.source)\" to \"\(record.destination)\""
            case .schemaUpdate: "schema of \"\(record.destination)\" updated"
            case .deferredRemoval: "\(record.detail) taken away"
            case .imported: "imported \(record.detail)"
            }
        return "\(record.date.formatted(.iso8601))  \(what) by \(record.program)"
    }

    /// What a plan comes to, in a few lines.
    static func summary(_ plan: PlannedMigration) -> String {
        var lines: [String] = []
        if plan.isMigration {
            let names = [plan.storeVersion] + plan.steps.map(\.destination)
            lines.append("To migrate: " + names.map { "\"\($0)\"" }.joined(separator: " -> "))
        } else if plan.isNeeded {
            lines.append("The version \"\(plan.storeVersion)\" is current; its schema is to be updated:")
            lines += plan.schemaChanges.map { "    \($0)" }
        } else {
            lines.append("The version \"\(plan.storeVersion)\" is current.")
        }
        if plan.isNeeded {
            let size = ByteCountFormatter.string(fromByteCount: plan.neededBytes, countStyle: .file)
            lines.append("About \(plan.estimatedRows) rows to read or write, and \(size) to be free.")
        }
        if !plan.addedObjects.isEmpty {
            lines.append("Added by hand, and kept: \(plan.addedObjects.joined(separator: ", "))")
        }
        if plan.hasPendingDeferredMigration { lines.append("What a migration left is still to be taken away.") }
        return lines.joined(separator: "\n")
    }
}
