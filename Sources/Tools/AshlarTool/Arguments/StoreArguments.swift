import ArgumentParser
@_spi(Generated) import Ashlar
import AshlarImport
import DataModel
import Foundation
import GeneratorPipeline
import PlannedModel

/// The arguments of commands that read a store with its model.
struct StoreArguments: ParsableArguments {
    @Argument(help: "The path of the store's file.")
    var store: String

    @Option(help: "The path of the model; when left out, the one in this package that has the name of the store's.")
    var model: String?

    @OptionGroup var configuration: ConfigurationArguments

    @OptionGroup var report: ReportArguments

    var url: URL { URL(fileURLWithPath: store) }

    /// The given model, which is read before the store; nil if none is given.
    func givenModel() throws -> ModelDescription? {
        try model.map { try Self.modelDescription(ofModelAtPath: $0, configuration) }
    }

    /// Returns the path of the given model, or else that of the model with a name in the current package. Returns nil
    /// if there is no such model, or more than one.
    func modelPath(named name: String?) -> String? {
        if let model { return model }
        guard let name, let found = ModelPackage.current?.models(named: name), found.count == 1 else { return nil }
        return found[0]
    }

    /// The model at a path as the runtime describes it. Errors of the model are printed, and end the tool with status
    /// 1.
    ///
    /// - Parameter describesEntities: Whether the description has the entities, which an import of a history needs.
    static func modelDescription(
        ofModelAtPath model: String, _ configuration: ConfigurationArguments, describesEntities: Bool = false
    ) throws -> ModelDescription {
        let options = try configuration.configuration(ofModelAtPath: model)
        let (plan, found) = ModelPlan.make(modelPath: model, configuration: options)
        var diagnostics = Diagnostics()
        for finding in found.all where finding.severity == .error { diagnostics.report(finding) }
        try printFindings(diagnostics)
        guard let plan, !diagnostics.hasErrors else { throw ExitCode(1) }
        return ModelDescription(plan, describesEntities: describesEntities)
    }
}

/// The statuses that the commands for stores end with, which scripts can use.
enum StoreStatus: Int32 {
    /// The store has the model's current version, and nothing is to be done.
    case isCurrent = 0
    /// The store can be brought up to date, and was not.
    case isNotCurrent = 2
    /// The model has no way to bring the store up to date, or the store's rows do not allow it.
    case isRefused = 3
    /// The store could not be read or written: there is none, it is damaged, another process holds it, the disk is full.
    case isUnavailable = 4

    /// Creates the report of an error about a store.
    init(_ error: StoreError) {
        switch error {
        case .unknownVersion, .newerVersion, .newerFormat, .otherModel, .alteredSchema, .foreignDatabase,
            .coreDataStore,
            .notADatabase, .migrationRefused, .migrationObstructed, .migrationFailed, .migrationBrokeReferences,
            .derivedOverflow, .schemaUpdateRefused, .recordsHistory, .dividedMigration, .missingMigrationStage,
            .invalidMigrationStage:
            self = .isRefused
        default: self = .isUnavailable
        }
    }

    /// Creates the report of an error about an imported store.
    init(_ error: ImportError) {
        switch error.code {
        case .damaged, .inUse: self = .isUnavailable
        default: self = .isRefused
        }
    }
}
