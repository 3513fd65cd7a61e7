import ArgumentParser
@_spi(Generated) import Ashlar
import CoreDataStore
import Foundation

struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tells which version of its model a store is of, and what opening it would do.",
        discussion: """
            Changes nothing. A store that Core Data or SwiftData wrote is told, with its version. Without a model it tells \
            what the store says of itself, and ends with status 0. Ends with status 0 when the store is up to date, 2 when \
            it would be migrated or its schema updated, 3 when it cannot be, 4 when it cannot be read, 1 when the model \
            has errors, and 64 when the tool was called wrongly.
            """)

    @OptionGroup var arguments: StoreArguments

    func run() throws {
        var report = StoreReport(store: arguments.store)
        var lines: [String] = []
        do {
            try look(&report, &lines)
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

    private func look(_ report: inout StoreReport, _ lines: inout [String]) throws {
        let given = try arguments.givenModel()
        if try ModelContainer.isCoreDataStore(at: arguments.url) { return try lookAtOldStore(given, &report, &lines) }
        let metadata = try ModelContainer.metadata(ofStoreAt: arguments.url)
        report.add(metadata)
        let history = try ModelContainer.migrationHistory(ofStoreAt: arguments.url)
        report.history = history.map(StoreReport.Record.init)
        lines += history.map(Self.line)
        guard let path = arguments.modelPath(named: metadata.modelName) else {
            lines.append(
                "A store of the model \"\(metadata.modelName)\", version \"\(metadata.versionName)\", "
                    + metadata.storeIdentifier + ".")
            lines.append(Self.entityList(metadata.entityNames))
            lines.append("Name its model with --model to learn what opening it would do.")
            return
        }
        let model = try given ?? StoreArguments.modelDescription(ofModelAtPath: path, arguments.configuration)
        report.model = path
        let plan = try ModelContainer.plannedMigration(
            ofStoreAt: arguments.url, for: model, options: MigrationOptions())
        report.plan = StoreReport.Plan(plan)
        report.state = plan.isNeeded ? .outdated : .current
        if arguments.model == nil { lines.append("Compared with \(path):") }
        lines.append(Self.summary(plan))
    }

    /// What a store of Core Data's says of itself, and which version of the model that is, if there is one.
    private func lookAtOldStore(
        _ model: ModelDescription?, _ report: inout StoreReport, _ lines: inout [String]
    ) throws {
        let metadata = try ModelContainer.coreDataMetadata(ofStoreAt: arguments.url)
        report.add(metadata)
        guard let model else {
            let names = metadata.versionIdentifiers.map { "\"\($0)\"" }.joined(separator: ", ")
            lines.append(
                "A Core Data store of \(counted(metadata.entityNames.count, "entity", "entities")), "
                    + metadata.storeIdentifier
                    + (names.isEmpty ? "." : ", version \(names)."))
            lines.append(Self.entityList(metadata.entityNames))
            lines.append("Name its model with --model to learn which version of it that is.")
            return
        }
        report.model = arguments.model
        lines.append(try ModelContainer.recognizedStore(at: arguments.url, for: model))
        lines.append("Import it with `ashlar import`.")
        report.state = .outdated
    }

    private static func entityList(_ names: Set<String>) -> String {
        "Entities: " + (names.isEmpty ? "none" : names.sorted().joined(separator: ", "))
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
