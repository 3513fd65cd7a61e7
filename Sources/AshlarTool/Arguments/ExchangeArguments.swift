import ArgumentParser
import Ashlar
import DataModel
import Foundation
import GeneratorPipeline
import PlannedModel
import RelationalSchema
import StoreDescription
import StoreExchange

import class RelationalSchema.Schema

/// What the commands share that move objects between a store and a text.
struct ExchangeArguments: ParsableArguments {
    @Argument(help: "The path of the store's file.")
    var store: String

    @Option(help: "The path of the model; when left out, the one in this package that has the name of the store's.")
    var model: String?

    @Option(
        help: ArgumentHelp(
            "The attribute by which objects of an entity are referred to, in place of their numbers.",
            valueName: "Entity.attribute"))
    var by: [String] = []

    @OptionGroup var configuration: ConfigurationArguments

    var url: URL { URL(fileURLWithPath: store) }

    func keys() throws -> ReferenceKeys {
        var keys = ReferenceKeys()
        for text in by where !keys.add(text) {
            throw ValidationError("--by is of the form Author.name: \(text) is not.")
        }
        return keys
    }

    /// A model with the version of it that a store is of.
    struct Found {
        var plan: ModelPlan
        var position: Int
        var version: ExchangedVersion

        var schema: Schema { plan.schemas[position] }
        var isCurrent: Bool { position == plan.versions.count - 1 }
    }

    func plan(ofModelAtPath path: String) throws -> ModelPlan {
        let options = try configuration.configuration(ofModelAtPath: path)
        let (plan, found) = ModelPlan.make(modelPath: path, configuration: options)
        var diagnostics = Diagnostics()
        for finding in found.all where finding.severity == .error { diagnostics.report(finding) }
        try printFindings(diagnostics)
        guard let plan, !diagnostics.hasErrors else { throw ExitCode(1) }
        return plan
    }

    /// The version that a store is of.
    func version(of metadata: StoreMetadata) throws -> Found {
        guard let path = model ?? modelPath(named: metadata.modelName) else {
            throw ValidationError("Say which model the store is of with --model: \"\(metadata.modelName)\".")
        }
        let plan = try plan(ofModelAtPath: path)
        guard let position = plan.versions.firstIndex(where: { $0.hash.versionHash == metadata.versionHash }) else {
            try printError("The store's version \"\(metadata.versionName)\" is none of \(path).")
            throw ExitCode(StoreStatus.isRefused.rawValue)
        }
        return try found(plan, position)
    }

    func found(_ plan: ModelPlan, _ position: Int) throws -> Found {
        guard let entities = ModelDescription(plan).storedEntities() else {
            throw ExchangeError("The model does not say what its versions store.")
        }
        return Found(plan: plan, position: position, version: ExchangedVersion(entities[position]))
    }

    private func modelPath(named name: String) -> String? {
        guard let found = ModelPackage.current?.models(named: name), found.count == 1 else { return nil }
        return found[0]
    }
}
