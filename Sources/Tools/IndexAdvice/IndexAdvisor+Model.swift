public import DataModel
import RelationalSchema

extension IndexAdvisor {
    /// The queries that a model declares: fetch request templates, then fetched properties.
    public static func queries(of schema: Schema) -> [AdvisedQuery] {
        let model = schema.graph.model
        // Describing a model takes longer than planning it.
        if model.fetchRequests.isEmpty, model.entities.allSatisfy(\.fetchedProperties.isEmpty) { return [] }
        let statement = TemplateStatement(schema: schema)
        let templates = schema.graph.model.fetchRequests.compactMap { request in
            statement.sql(of: request).map {
                AdvisedQuery(
                    origin: .template(request.name, ofEntity: request.entityName), sql: $0, location: request.location)
            }
        }
        let properties = schema.graph.entitiesByName.flatMap { entity in
            entity.fetchedProperties.compactMap { property in
                statement.sql(of: property, in: entity).map {
                    AdvisedQuery(
                        origin: .fetchedProperty(property.name, ofEntity: entity.name), sql: $0,
                        location: property.location)
                }
            }
        }
        return templates + properties
    }

    /// The length of the longest statement that ``check(_:)`` tries. SQLite compares each constant of a statement with all
    /// others, so that a condition of 10,000 comparisons took 44 seconds.
    private static let longestStatement = 50_000

    /// Warnings about queries of a model that would be better with an index that the model lacks.
    ///
    /// An entity's `userInfo` can silence those about its templates, because a template has none of its own.
    public static func check(_ schema: Schema) -> Diagnostics {
        var diagnostics = Diagnostics()
        let queries = queries(of: schema).filter {
            $0.sql.utf8.count <= longestStatement && !isSilenced($0, schema.graph)
        }
        if queries.isEmpty { return diagnostics }
        let advice = IndexAdvisor(schema).advice(on: queries)
        for (number, finding) in advice.findings.enumerated() {
            guard let after = finding.after, let location = finding.query.location else { continue }
            let additions = advice.additions.filter { $0.queries.contains(number) }
            if additions.isEmpty { continue }
            let names = additions.map { "'\($0.name)' of '\($0.index.entityName)'" }.joined(separator: " and ")
            diagnostics.report(
                Diagnostic(
                    .missingIndex, at: location, "\(finding.query.title) \(finding.before.summary)",
                    notes: [
                        "SQLite would do: \(finding.before.steps.map(\.detail).joined(separator: "; "))",
                        "With an index \(names): \(after.steps.map(\.detail).joined(separator: "; "))",
                    ],
                    fixes: [Diagnostic.Fix("Add the index \(names)", additions.map(\.change))]))
        }
        return diagnostics
    }

    private static func isSilenced(_ query: AdvisedQuery, _ graph: ModelGraph) -> Bool {
        guard case .template(_, let name) = query.origin, let entity = graph.entity(named: name),
            let codes = entity.userInfo[UserInfo.silenceKey]
        else { return false }
        return SilencedCodes.parse(codes).contains(Diagnostic.Code.missingIndex.rawValue)
    }
}

extension QueryPlan {
    /// A description of the problem with the plan.
    fileprivate var summary: String {
        var parts: [String] = []
        for (problem, _) in problems {
            let part =
                switch problem {
                case .scan, .coveringScan: "reads all rows"
                case .sort: "sorts its rows"
                case .automaticIndex: "makes an index each time"
                }
            if !parts.contains(part) { parts.append(part) }
        }
        return parts.joined(separator: " and ")
    }
}
