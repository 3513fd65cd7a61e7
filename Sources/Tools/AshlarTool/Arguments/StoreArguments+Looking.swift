@_spi(Generated) import Ashlar
import AshlarImport
import CoreDataStore
import Foundation

extension StoreArguments {
    /// Reads a store's description of itself, and determines the effect of opening it with the model, if there is one.
    func look(_ report: inout StoreReport, _ lines: inout [String]) throws {
        let given = try givenModel()
        if try ModelContainer.isCoreDataStore(at: url) { return try lookAtOldStore(given, &report, &lines) }
        let metadata = try ModelContainer.metadata(ofStoreAt: url)
        report.add(metadata)
        let history = try ModelContainer.migrationHistory(ofStoreAt: url)
        report.history = history.map(StoreReport.Record.init)
        lines += history.map(Self.line)
        guard let path = modelPath(named: metadata.modelName) else {
            lines.append(
                "A store of the model \"\(metadata.modelName)\", version \"\(metadata.versionName)\", "
                    + metadata.storeIdentifier + ".")
            lines.append(Self.entityList(metadata.entityNames))
            lines.append("Name its model with --model to see the effects of opening it.")
            return
        }
        let model = try given ?? StoreArguments.modelDescription(ofModelAtPath: path, configuration)
        report.model = path
        let plan = try ModelContainer.plannedMigration(
            ofStoreAt: url, for: model, options: MigrationOptions())
        report.plan = StoreReport.Plan(plan)
        report.state = plan.isNeeded ? .outdated : .current
        if self.model == nil { lines.append("Compared with \(path):") }
        lines.append(Status.summary(plan))
    }

    /// Returns the metadata of a store of Core Data, and its version of the model, if any.
    private func lookAtOldStore(
        _ model: ModelDescription?, _ report: inout StoreReport, _ lines: inout [String]
    ) throws {
        let metadata = try ModelContainer.coreDataMetadata(ofStoreAt: url)
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
        report.model = self.model
        lines.append(try ModelContainer.recognizedStore(at: url, for: model))
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
            case .referenceRepair: "one-to-one references of \"\(record.destination)\" settled"
            case .schemaUpdate: "schema of \"\(record.destination)\" updated"
            case .deferredRemoval: "\(record.detail) taken away"
            case .imported: "imported \(record.detail)"
            }
        return "\(record.date.formatted(.iso8601))  \(what) by \(record.program)"
    }
}
