import ArgumentParser
import Ashlar
import AshlarImport
import Foundation

struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the version of a store's model, and the effects of opening the store.",
        discussion: """
            Changes nothing. A store that Core Data or SwiftData wrote is recognized, with its version. Without a \
            model it prints the store's own description, and ends with status 0. Ends with status 0 when the store is \
            up to date, 2 when it would be migrated or its schema updated, 3 when it cannot be, 4 when it cannot be \
            read, 1 when the model has errors, and 64 when the tool was called wrongly.
            """)

    @OptionGroup var arguments: StoreArguments

    func run() throws {
        var report = StoreReport(store: arguments.store)
        var lines: [String] = []
        do {
            try arguments.look(&report, &lines)
        } catch let error where error is StoreError || error is ImportError {
            report.add(error)
            try write(report, lines)
            throw error
        }
        try write(report, lines)
        if report.state == .outdated { throw ExitCode(StoreStatus.isNotCurrent.rawValue) }
    }

    private func write(_ report: StoreReport, _ lines: [String]) throws {
        switch arguments.report.format {
        case .json: try CommandOutput.results.write(json: report)
        case .text: if !lines.isEmpty { try CommandOutput.results.write(line: lines.joined(separator: "\n")) }
        }
    }

    /// Returns a summary of a plan in a few lines.
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
        if plan.hasPendingDeferredMigration { lines.append("The leftovers of a migration are still to be removed.") }
        return lines.joined(separator: "\n")
    }
}
