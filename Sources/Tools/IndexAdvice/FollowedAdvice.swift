import DataModel
import RelationalSchema

/// A schema with proposed indexes as the model will declare them, and the plans of all queries with it.
///
/// A trial does not show everything: if SQLite finds two indexes equally good, it takes one by their order in the
/// schema.
struct FollowedAdvice {
    var schema: Schema
    var additions: [IndexAdvice.Addition] = []
    var plans: [TrialPlanner.Plans]

    /// The weight of all problems of the plans.
    var weight: Int { plans.reduce(0) { $0 + $1.weight } }

    /// The positions of the queries whose plans are worse than those of another schema, for either planner.
    func queriesWorse(than other: FollowedAdvice) -> [Int] {
        plans.indices.filter { number in
            zip(plans[number].plans, other.plans[number].plans).contains { $0.weight > $1.weight }
        }
    }

    /// The positions of the queries that are better than with another schema and use an index.
    func queriesBetter(than other: FollowedAdvice, by addition: IndexAdvice.Addition) -> [Int] {
        plans.indices.filter { number in
            plans[number].weight < other.plans[number].weight
                && plans[number].plans.contains { $0.mentions(addition.sqlName) }
        }
    }
}

extension IndexAdvisor {
    /// The schema with more indexes, or with those of them that make no query worse; nil if nothing gets better.
    func following(
        _ current: FollowedAdvice, _ indexes: [ProposedIndex], _ queries: [AdvisedQuery]
    ) throws(PlannerFailure) -> FollowedAdvice? {
        var names = IndexNames(current.schema.graph)
        var added = indexes.compactMap { index in
            schema.graph.entity(named: index.entityName).map { entity in
                IndexAdvice.Addition(
                    index: index, name: names.claim(index, of: entity), entityLocation: entity.location, queries: [])
            }
        }
        while !added.isEmpty {
            let next = try following(current.additions + added, queries)
            guard let worse = next.queriesWorse(than: current).first else {
                return next.weight < current.weight ? next : nil
            }
            let cause = added.lastIndex { addition in
                next.plans[worse].plans.contains { $0.mentions(addition.sqlName) }
            }
            added.remove(at: cause ?? added.count - 1)
        }
        return nil
    }

    /// The advice without indexes that make no query better.
    func withoutUseless(
        _ followed: FollowedAdvice, _ before: FollowedAdvice, _ queries: [AdvisedQuery]
    ) throws(PlannerFailure) -> FollowedAdvice {
        var result = followed
        for addition in followed.additions.reversed()
        where result.queriesBetter(than: before, by: addition).isEmpty {
            let fewer = try following(
                result.additions.filter { $0.name != addition.name || $0.index != addition.index }, queries)
            if fewer.queriesWorse(than: result).isEmpty { result = fewer }
        }
        for (position, addition) in result.additions.enumerated() {
            var better = result.queriesBetter(than: before, by: addition)
            if better.isEmpty {
                // It compensates for the effect of another index on a query.
                let others = result.additions.enumerated().filter { $0.offset != position }.map(\.element)
                better = try following(others, queries).queriesWorse(than: result)
            }
            result.additions[position].queries = better
        }
        return result
    }

    private func following(
        _ additions: [IndexAdvice.Addition], _ queries: [AdvisedQuery]
    ) throws(PlannerFailure) -> FollowedAdvice {
        let additions = additions.sorted {
            ($0.index.entityName, $0.index.sortKey) < ($1.index.entityName, $1.index.sortKey)
        }
        var model = schema.graph.model
        for addition in additions {
            guard let position = model.entities.firstIndex(where: { $0.name == addition.index.entityName }) else {
                continue
            }
            model.entities[position].indexes.append(addition.fetchIndex)
        }
        let schema = Schema(ModelGraph(model))
        let planner = try IndexAdvisor(schema, statistics: statistics, writes: writes).planner()
        var plans: [TrialPlanner.Plans] = []
        for query in queries { plans.append(try planner.plans(of: query.sql)) }
        return FollowedAdvice(schema: schema, additions: additions, plans: plans)
    }
}

extension IndexAdvice.Addition {
    /// The index as the model declares it.
    var fetchIndex: FetchIndex {
        FetchIndex(
            name: name, kind: index.kind,
            elements: index.elements.map {
                FetchIndex.Element(propertyName: $0.propertyName, isAscending: !$0.isDescending)
            }, partialIndexPredicate: index.partialIndexPredicate)
    }

    /// Its name in the store.
    var sqlName: String { "\(index.kind.prefix)$\(index.entityName)$\(name)" }
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
