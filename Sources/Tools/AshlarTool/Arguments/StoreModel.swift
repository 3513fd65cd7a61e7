import ArgumentParser
import Ashlar
import DataModel
import Foundation
import GeneratorPipeline
import PlannedModel
import RelationalSchema

import class RelationalSchema.Schema

/// A model with the version of a store.
struct StoreModel {
    var plan: ModelPlan
    /// The position of the version among those of the model.
    var position: Int

    var schema: Schema { plan.schemas[position] }
    var isCurrent: Bool { position == plan.versions.count - 1 }

    /// Finds the version of a store.
    ///
    /// - Parameter model: The path of the model; nil for the model in this package with the name that the store gives.
    /// - Throws: An exit status, after the reasons were printed.
    init(
        of metadata: StoreMetadata, model: String?, _ configuration: ConfigurationArguments
    ) throws {
        guard let path = model ?? Self.modelPath(named: metadata.modelName) else {
            throw ValidationError("Name the model of the store with --model: \"\(metadata.modelName)\".")
        }
        plan = try Self.plan(ofModelAtPath: path, configuration)
        guard let position = plan.versions.firstIndex(where: { $0.hash.versionHash == metadata.versionHash }) else {
            try printError("The store's version \"\(metadata.versionName)\" is not a version of \(path).")
            throw ExitCode(StoreStatus.isRefused.rawValue)
        }
        self.position = position
    }

    init(_ plan: ModelPlan, _ position: Int) { (self.plan, self.position) = (plan, position) }

    /// The plan of a model. Findings are printed; a model with errors ends the tool with status 1.
    static func plan(ofModelAtPath path: String, _ configuration: ConfigurationArguments) throws -> ModelPlan {
        let options = try configuration.configuration(ofModelAtPath: path)
        let (plan, found) = ModelPlan.make(modelPath: path, configuration: options)
        var diagnostics = Diagnostics()
        for finding in found.all where finding.severity == .error { diagnostics.report(finding) }
        try printFindings(diagnostics)
        guard let plan, !diagnostics.hasErrors else { throw ExitCode(1) }
        return plan
    }

    private static func modelPath(named name: String) -> String? {
        guard let found = ModelPackage.current?.models(named: name), found.count == 1 else { return nil }
        return found[0]
    }
}
