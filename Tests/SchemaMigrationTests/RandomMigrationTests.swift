import DataModel
import RelationalSchema
import SchemaMigration
import Testing

@Suite("Random pairs of models")
struct RandomMigrationTests {
    /// Two versions and what is the same in both.
    private struct Pair {
        let seed: Int
        let old: RandomModel
        let new: RandomModel
        let plan: MigrationPlan

        init(seed: Int) {
            var generator = SeededGenerator(seed: seed + 1_000_000)
            self.seed = seed
            old = RandomModel(seed: seed)
            new = old.changed(&generator)
            plan = MigrationPlan(from: ModelGraph(old.model), to: ModelGraph(new.model))
        }
    }

    @Test("Every migration without errors is proven, and few have errors")
    func proven() {
        var refused: [Int] = []
        for seed in 0..<(30 * effort) {
            let pair = Pair(seed: seed)
            for model in [pair.old.model, pair.new.model] {
                let errors = ModelChecker.check(model).all.filter { $0.severity == .error }
                #expect(errors.map(\.description) == [], "seed \(seed)")
            }
            if pair.plan.diagnostics.hasErrors {
                refused.append(seed)
            } else {
                let findings = MigrationProof(pair.plan).run().all.map(\.description)
                #expect(findings == [], "seed \(seed)")
            }
        }
        #expect(refused.count <= 10 * effort, "too many are refused to tell much: the seeds \(refused)")
    }

    @Test("row 157: objects, values and links are what they were")
    func nothingIsLost() throws {
        for seed in 0..<(30 * effort) {
            let pair = Pair(seed: seed)
            if pair.plan.diagnostics.hasErrors { continue }
            do {
                try check(pair)
            } catch {
                Issue.record(error, "seed \(seed)")
            }
        }
    }

    private func check(_ pair: Pair) throws {
        var generator = SeededGenerator(seed: pair.seed + 2_000_000)
        let upgrade = try Upgrade(pair.plan, rows: [])
        let (before, after) = (
            RandomStore(pair.plan.source, upgrade.database), RandomStore(pair.plan.destination, upgrade.database)
        )
        try before.fill(&generator)
        let expected = try Expectation(before, pair.new, after.schema.graph)
        #expect(try before.staleColumns() == [], "seed \(pair.seed)")
        #expect(try upgrade.run() == nil, "seed \(pair.seed)")
        #expect(try after.staleColumns() == [], "seed \(pair.seed)")
        let found = try Expectation(after, pair.new)
        for (what, lines) in expected.lines {
            #expect(found.lines[what] == lines, "seed \(pair.seed): \(what)")
        }
        #expect(try upgrade.database.lines("PRAGMA foreign_key_check") == [], "seed \(pair.seed)")
        #expect(try upgrade.database.lines("PRAGMA integrity_check") == ["ok"], "seed \(pair.seed)")
        try after.disturb(&generator)
        #expect(try after.staleColumns() == [], "seed \(pair.seed)")
    }
}

/// What a store must have, by what it is called in the new model.
private struct Expectation {
    private(set) var lines: [String: [String]] = [:]

    /// What a migrated store has.
    init(_ store: RandomStore, _ model: RandomModel) throws {
        let graph = store.schema.graph
        for entity in model.entities {
            lines[entity.name] = try store.objects(of: entity)
            for attribute in graph.attributes(of: entity) {
                if attribute.type == .composite {
                    lines["\(entity.name).\(attribute.name)"] = Self.lines(
                        try store.compositeValues(of: attribute, in: entity))
                    continue
                }
                lines["\(entity.name).\(attribute.name)"] = try store.values(of: attribute, in: entity)
            }
            for relationship in entity.relationships {
                lines["links of \(entity.name).\(relationship.name)"] = try store.links(of: relationship, in: entity)
            }
        }
    }

    /// What a store must have once it is migrated: what the changes left alone, told from what the models remember.
    init(_ store: RandomStore, _ model: RandomModel, _ graph: ModelGraph) throws {
        let oldGraph = store.schema.graph
        // The marks of the objects that an entity and those below it have afterwards.
        var survivors: [String: Set<String>] = [:]
        for entity in model.entities {
            guard let name = model.oldEntityNames[entity.name], let old = oldGraph.entity(named: name) else { continue }
            let objects = try store.objects(of: old)
            lines[entity.name] = objects
            let marks = objects.map { String($0.prefix { $0 != "|" }) }
            for kind in [entity] + graph.ancestors(of: entity) { survivors[kind.name, default: []].formUnion(marks) }
            for attribute in graph.attributes(of: entity) where attribute.name != "mark" && !attribute.isDerived {
                guard let owner = graph.owner(ofAttribute: attribute.name, in: entity),
                    let origin = model.oldPropertyNames[.init(entityName: owner.name, name: attribute.name)],
                    let oldOwner = oldGraph.owner(ofAttribute: origin.name, in: old),
                    oldOwner.name == origin.entityName,
                    let source = oldOwner.attributes.first(where: { $0.name == origin.name })
                else { continue }
                if attribute.type == .composite {
                    let migration = CompositeMigration(old: oldGraph, new: graph, model: model)
                    lines["\(entity.name).\(attribute.name)"] = Self.lines(
                        try store.compositeValues(of: source, in: old).mapValues {
                            migration.migrated(attribute, from: source, $0)
                        })
                    continue
                }
                guard attribute.isOptional || !source.isOptional else { continue }
                lines["\(entity.name).\(attribute.name)"] = try store.values(of: source, in: old)
            }
        }
        for entity in model.entities {
            for relationship in entity.relationships {
                guard let origin = model.oldPropertyNames[.init(entityName: entity.name, name: relationship.name)],
                    let old = oldGraph.entity(named: origin.entityName),
                    let source = old.relationships.first(where: { $0.name == origin.name }),
                    source.isOrdered || !relationship.isOrdered
                else { continue }
                var links = try store.links(of: source, in: old).filter { line in
                    let marks = line.split(separator: "|").map { String($0) }
                    return survivors[entity.name]?.contains(marks[0]) == true
                        && survivors[relationship.destinationName]?.contains(marks[1]) == true
                }
                if source.isOrdered && !relationship.isOrdered {
                    links.sort { pair($0) < pair($1) }
                }
                lines["links of \(entity.name).\(relationship.name)"] = links
            }
        }
    }

    private static func lines(_ values: [String: CompositeValue]) -> [String] {
        values.sorted { $0.key < $1.key }.map { "\($0.key)|\($0.value)" }
    }

    private func pair(_ line: String) -> (Int, Int) {
        let numbers = line.split(separator: "|").compactMap { Int($0) }
        return (numbers.first ?? 0, numbers.last ?? 0)
    }
}
