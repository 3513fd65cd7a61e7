import Ashlar
import CoreDataStore
import Foundation

/// The JSON report of `ashlar status` and `ashlar migrate`; see `Documentation/CommandLine.md`.
struct StoreReport: Encodable {
    /// The program that wrote the store.
    enum Kind: String, Encodable {
        case ashlar, coreData
    }

    /// The effect of opening the store with the model, as in the tool's exit status.
    enum State: String, Encodable {
        /// It was compared with no model.
        case unknown
        case current, outdated, refused, unavailable
    }

    struct Record: Encodable {
        var kind: String
        var source: String
        var destination: String
        var date: Date
        var program: String
        var detail: String

        init(_ record: MigrationRecord) {
            kind = record.kind.rawValue
            source = record.source
            destination = record.destination
            date = record.date
            program = record.program
            detail = record.detail
        }
    }

    struct Plan: Encodable {
        struct Step: Encodable {
            var source: String
            var destination: String
            var statements: [String]
        }

        var storeVersion: String
        var currentVersion: String
        var steps: [Step]
        var schemaChanges: [String]
        var addedObjects: [String]
        var estimatedRows: Int
        var neededBytes: Int64
        var hasPendingDeferredMigration: Bool

        init(_ plan: PlannedMigration) {
            storeVersion = plan.storeVersion
            currentVersion = plan.currentVersion
            steps = plan.steps.map {
                Step(source: $0.source, destination: $0.destination, statements: $0.statements)
            }
            schemaChanges = plan.schemaChanges
            addedObjects = plan.addedObjects
            estimatedRows = plan.estimatedRows
            neededBytes = plan.neededBytes
            hasPendingDeferredMigration = plan.hasPendingDeferredMigration
        }
    }

    var version = 1
    var store: String
    var kind: Kind?
    var state = State.unknown
    var identifier: String?
    var modelName: String?
    /// The name of the store's version.
    var modelVersion: String?
    /// The author's names of the version, in a store of Core Data.
    var versionIdentifiers: [String]?
    var entities: [String]?
    /// The path of the model that it was compared with.
    var model: String?
    var history: [Record]?
    var plan: Plan?
    /// Whether the store was migrated just now.
    var isMigrated: Bool?
    var error: String?

    init(store: String) { self.store = store }

    mutating func add(_ metadata: StoreMetadata) {
        kind = .ashlar
        identifier = metadata.storeIdentifier
        modelName = metadata.modelName
        modelVersion = metadata.versionName
        entities = metadata.entityNames.sorted()
    }

    mutating func add(_ metadata: CoreDataMetadata) {
        kind = .coreData
        identifier = metadata.storeIdentifier
        versionIdentifiers = metadata.versionIdentifiers
        entities = metadata.entityNames.sorted()
    }

    mutating func add(_ error: any Error) {
        let status = StoreStatus(rawValue: AshlarTool.status(for: error))
        state = status == .isUnavailable ? .unavailable : .refused
        self.error = AshlarTool.message(for: error)
    }
}
