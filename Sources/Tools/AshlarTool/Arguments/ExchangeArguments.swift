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

/// The arguments of commands that move objects between a store and a text.
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
            throw ValidationError("--by has the form Author.name: \(text) does not.")
        }
        return keys
    }

    /// A model with the version of a store.
    struct Found {
        var plan: ModelPlan
        var position: Int
        var version: ExchangedVersion

        var schema: Schema { plan.schemas[position] }
        var isCurrent: Bool { position == plan.versions.count - 1 }
    }

    func plan(ofModelAtPath path: String) throws -> ModelPlan {
        try StoreModel.plan(ofModelAtPath: path, configuration)
    }

    /// The version of a store.
    func version(of metadata: StoreMetadata) throws -> Found {
        let model = try StoreModel(of: metadata, model: model, configuration)
        return try found(model.plan, model.position)
    }

    func found(_ plan: ModelPlan, _ position: Int) throws -> Found {
        guard let entities = ModelDescription(plan).storedEntities() else {
            throw ExchangeError("The model does not describe its versions.")
        }
        return Found(plan: plan, position: position, version: ExchangedVersion(entities[position]))
    }
}
