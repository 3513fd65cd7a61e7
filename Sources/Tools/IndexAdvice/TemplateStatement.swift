import Ashlar
import AshlarCoreData
import DataModel
import PlannedModel
import PredicateFormat
import RelationalSchema

import class RelationalSchema.Schema

/// The statement that a program runs for a fetch request template, with `?` for its values.
///
/// The runtime itself prints it, from a description of the model like that of generated code. A variable is taken for
/// one value that is not nil, and a list for two values.
struct TemplateStatement {
    private let graph: ModelGraph
    private let model: ModelDescription

    init(schema: Schema) {
        graph = schema.graph
        model = .describing(schema)
    }

    /// Returns the statement of a template; nil if its predicate cannot be expressed.
    func sql(of request: FetchRequest) -> String? { sql(of: request, graph.predicate(of: request)) }

    /// Returns the statement of a fetched property; nil if its predicate cannot be expressed.
    func sql(of property: FetchedProperty, in entity: Entity) -> String? {
        sql(of: property.request, graph.predicate(of: property, in: entity))
    }

    private func sql(of request: FetchRequest, _ resolution: Resolution<ResolvedPredicate>?) -> String? {
        if request.predicate != nil, resolution?.root == nil { return nil }
        guard let entity = model.entity(named: request.entityName) else { return nil }
        let template = FetchTemplate(
            model: model, entity: entity, condition: resolution?.root,
            limit: request.fetchLimit > 0 ? request.fetchLimit : nil, includesSubentities: request.includesSubentities)
        // As recordings have it.
        return (try? template.sql()).map { StatementShape($0).sql }
    }
}
