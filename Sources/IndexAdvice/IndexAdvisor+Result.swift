import DataModel
import RelationalSchema

extension IndexAdvisor {
    func fill(
        _ advice: inout IndexAdvice, _ cases: [Case],
        _ queries: [(query: AdvisedQuery, plans: TrialPlanner.Plans)], _ chosen: [ProposedIndex],
        _ planner: TrialPlanner
    ) throws(PlannerFailure) {
        var names = IndexNames(schema.graph)
        advice.additions = chosen.compactMap { index in
            guard let entity = schema.graph.entity(named: index.entityName) else { return nil }
            return IndexAdvice.Addition(
                index: index, name: names.claim(index, of: entity), entityLocation: entity.location, queries: [])
        }
        for (number, (one, (_, before))) in zip(cases, queries).enumerated() {
            let after = try planner.plans(of: one.query.sql)
            let isBetter = after.weight < before.weight
            let used = isBetter ? planner.used(by: after) : []
            for index in used {
                guard let position = advice.additions.firstIndex(where: { $0.index == index }) else { continue }
                advice.additions[position].queries.append(number)
            }
            var finding = IndexAdvice.Finding(query: one.query, before: before.plans[0])
            if isBetter { finding.after = named(after.plans[0], planner, advice.additions) }
            if !isBetter, before.plans[0].weight > 0 {
                finding.reason = reason(one.query, before.plans[0], one.scans, canImprove: one.canImprove)
            }
            advice.findings.append(finding)
        }
    }

    /// The plan with the names that the indexes will have.
    private func named(
        _ plan: QueryPlan, _ planner: TrialPlanner, _ additions: [IndexAdvice.Addition]
    ) -> QueryPlan {
        var result = plan
        for addition in additions {
            let prefix = addition.index.kind == .rtree ? "rtree" : "index"
            let name = "\(prefix)$\(addition.index.entityName)$\(addition.name)"
            for index in result.steps.indices {
                result.steps[index].detail = result.steps[index].detail.replacing(
                    TrialPlanner.name(of: addition.index), with: name)
            }
        }
        return result
    }
}

/// The names of the indexes of entities, those of their hierarchies and the new ones.
private struct IndexNames {
    private let graph: ModelGraph
    private var taken: [String: Set<String>] = [:]

    init(_ graph: ModelGraph) { self.graph = graph }

    mutating func claim(_ index: ProposedIndex, of entity: Entity) -> String {
        let root = graph.root(of: entity)
        var names =
            taken[root.name]
            ?? Set(graph.hierarchy(of: root).flatMap(\.indexes).map { SQLText.folded($0.name) })
        let name = index.name(avoiding: names)
        names.insert(SQLText.folded(name))
        taken[root.name] = names
        return name
    }
}
