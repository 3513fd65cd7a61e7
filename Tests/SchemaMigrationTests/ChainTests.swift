import DataModel
import Foundation
import ModelFormat
import RandomNumbers
import RandomSeeds
import RelationalSchema
import SchemaMigration
import TestDatabase
import Testing

/// The version chains of real models, with facts about each pair of versions.
private struct Chain: Sendable, CustomTestStringConvertible {
    struct Pair: Sendable {
        var old: String
        var new: String
        /// The attributes that the new version requires and that have no default, as `Entity.attribute`.
        var required: [String]
    }

    var path: String
    var pairs: [Pair]

    var testDescription: String { path }

    static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("shared/corpus").path

    static var exists: Bool { FileManager.default.fileExists(atPath: folder + "/CHAINS.md") }

    /// All chains, from the list beside the models.
    static let all: [Chain] = {
        let text = (try? String(contentsOfFile: folder + "/CHAINS.md", encoding: .utf8)) ?? ""
        var chains: [Chain] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("## "), line.hasSuffix(".xcdatamodeld") {
                chains.append(Chain(path: String(line.dropFirst(3)), pairs: []))
            } else if line.contains("old binary `elements`") {
                continue
            } else if !chains.isEmpty, let match = line.firstMatch(of: #/^- `([^`]+)` → `([^`]+)`/#) {
                let reason = line.contains("**NOT INFERRABLE**") ? line : ""
                let names = reason.matches(of: #/required attribute ([\w.]+) \(\w+\) added without default/#)
                chains[chains.count - 1].pairs.append(
                    Pair(
                        old: String(match.1), new: String(match.2),
                        required: names.map { String($0.1) }))
            }
        }
        return chains
    }()

    /// A version in which every object has a mark, which identifies it.
    func version(_ name: String) throws -> Model {
        let folder = "\(Self.folder)/models/\(path)/\(name).xcdatamodel"
        var model = try #require(ModelReader().read(atPath: folder).model?.currentVersion, "\(folder)")
        for index in model.entities.indices where model.entities[index].parentName == nil {
            model.entities[index].attributes.append(RandomModel.mark)
        }
        return model
    }
}

extension Chain {
    /// The pairs from a position on. Those through the last pair whose links must be checked are left out, as its
    /// result depends on the store.
    func pairs(after first: Int) throws -> ArraySlice<Pair> {
        let pairs = pairs[max(0, first)...]
        let last = try pairs.lastIndex { pair in
            let (old, new) = (try version(pair.old), try version(pair.new))
            return !Self.linkConflicts(MigrationPlan(from: ModelGraph(old), to: ModelGraph(new))).isEmpty
        }
        return last.map { pairs[($0 + 1)...] } ?? pairs
    }

    /// The relationships, as `Entity.relationship`, that a build refuses unless their links are checked.
    static func linkConflicts(_ plan: MigrationPlan) -> [String] {
        plan.diagnostics.all.filter { diagnostic in
            diagnostic.severity == .error && diagnostic.code == .migrationNotInferrable
                && diagnostic.fixes.contains { $0.title.contains("look that nothing is lost") }
        }.flatMap { $0.message.matches(of: #/'([\w.]+)'/#).map { String($0.1) } }
    }
}

extension ReferenceMigration {
    /// A migration by names, or by renaming identifiers where there are any.
    init(from old: ModelGraph, to new: ModelGraph) {
        func isNamed(_ name: String, _ identifier: String?, like other: String, _ otherIdentifier: String?) -> Bool {
            identifier == other || (identifier != nil && identifier == otherIdentifier)
        }
        self.init(
            old: old, new: new,
            oldEntityName: { name in
                if old.entity(named: name) != nil { return name }
                guard let identifier = new.entity(named: name)?.renamingIdentifier else { return nil }
                return old.entitiesByName.first {
                    isNamed(name, identifier, like: $0.name, $0.renamingIdentifier)
                        && new.entity(named: $0.name) == nil
                }?.name
            },
            origin: { property, oldEntityName in
                guard let owner = new.entity(named: property.entityName), let entity = old.entity(named: oldEntityName)
                else { return nil }
                let kinds = [entity] + old.ancestors(of: entity)
                func find(_ names: [(owner: String, name: String, identifier: String?)], _ identifier: String?)
                    -> RandomModel.Origin?
                {
                    let found =
                        names.first { $0.name == property.name }
                        ?? names.first { isNamed(property.name, identifier, like: $0.name, $0.identifier) }
                    return found.map { .init(entityName: $0.owner, name: $0.name) }
                }
                if let attribute = owner.attributes.first(where: { $0.name == property.name }) {
                    let names = kinds.flatMap { kind in
                        kind.attributes.filter { !$0.isTransient }.map { (kind.name, $0.name, $0.renamingIdentifier) }
                    }
                    return find(names, attribute.renamingIdentifier)
                }
                let relationship = owner.relationships.first { $0.name == property.name }
                let names = kinds.flatMap { kind in
                    kind.relationships.map { (kind.name, $0.name, $0.renamingIdentifier) }
                }
                return find(names, relationship?.renamingIdentifier)
            })
    }
}

@Suite("Chains of real models", .enabled(if: Chain.exists, "there is no corpus of real models on this machine"))
struct ChainTests {
    @Test func allAreFound() {
        #expect(Chain.all.count == 20)
        #expect(Chain.all.map(\.pairs.count).reduce(0, +) == 428)
        #expect(Chain.all.flatMap(\.pairs).flatMap(\.required) == ["Order.statusKey", "Product.date"])
    }

    @Test("A store goes through the whole chain, and all its objects with it", arguments: Chain.all, seeds(1))
    private func wholeChain(_ chain: Chain, _ seed: Seed) throws {
        // The end of a long chain; with more effort, all of it.
        let pairs = try chain.pairs(after: TestEffort.factor > 1 ? 0 : chain.pairs.count - 20)
        var versions = [try chain.version(pairs[pairs.startIndex].old)]
        var generator = SeededGenerator(seed: seed)
        let database = try Database()
        let first = RandomStore(Schema(ModelGraph(versions[0])), database)
        try database.run(first.schema.statements)
        try first.fill(&generator)
        var graph = try ReferenceGraph(first)
        var ordered: Set<RandomModel.Origin> = []
        try database.run("BEGIN IMMEDIATE")
        for pair in pairs {
            var next = try chain.version(pair.new)
            for name in pair.required { next.answer(name) }
            let last = versions[versions.count - 1]
            if last.name != pair.old { continue }
            let difference = ModelDifference(from: last, to: next)
            let plan = MigrationPlan(from: ModelGraph(difference.old), to: ModelGraph(difference.new))
            #expect(plan.diagnostics.all.filter { $0.severity == .error }.map(\.description) == [])
            for statement in plan.statements {
                let rows = try database.run(statement.sql)
                if case .check(let reason, _) = statement.purpose {
                    #expect(rows.isEmpty, "seed \(seed), to \(pair.new): \(reason)")
                }
            }
            (graph, ordered) = ReferenceMigration(from: ModelGraph(last), to: ModelGraph(next)).migrate(graph)
            versions.append(next)
        }
        try database.run("COMMIT")
        let last = ModelGraph(versions[versions.count - 1])
        let found = try ReferenceGraph(RandomStore(Schema(last), database))
        #expect(found.differences(from: graph, ordered: ordered, last) == [], "seed \(seed)")
        #expect(try database.lines("PRAGMA foreign_key_check") == [])
        #expect(try database.lines("PRAGMA integrity_check") == ["ok"])
    }

    @Test("A chain that rewrites each table once leads to the same store", arguments: Chain.all, seeds(1))
    private func collapsedChain(_ chain: Chain, _ seed: Seed) throws {
        let pairs = TestEffort.factor > 1 ? chain.pairs[...] : chain.pairs.suffix(20)
        let first = try chain.version(pairs[pairs.startIndex].old)
        var last = first
        var statements: [MigrationStatement] = []
        for pair in pairs where last.name == pair.old {
            var next = try chain.version(pair.new)
            for name in pair.required { next.answer(name) }
            let difference = ModelDifference(from: last, to: next)
            statements +=
                MigrationPlan(from: ModelGraph(difference.old), to: ModelGraph(difference.new)).statements
            last = next
        }
        var generator = SeededGenerator(seed: seed)
        _ = try isCollapsed(first, statements, chain.path, &generator)
    }

    @Test(
        "A store of each version becomes one of the next; what is not inferrable says so", arguments: Chain.all,
        seeds(1))
    private func pairs(_ chain: Chain, _ seed: Seed) throws {
        for (index, pair) in chain.pairs.enumerated() {
            // All pairs that are not inferrable, and a share of the others that grows with the effort.
            if pair.required.isEmpty, TestEffort.factor < 10,
                (index + chain.path.utf8.count) % (20 / TestEffort.factor) != 0
            {
                continue
            }
            try check(pair, of: chain, seed: seed)
        }
    }

    private func check(_ pair: Chain.Pair, of chain: Chain, seed: Seed) throws {
        let old = try chain.version(pair.old)
        var new = try chain.version(pair.new)
        let title = "seed \(seed), \(chain.path), \(pair.old) to \(pair.new)"
        let conflicts = Chain.linkConflicts(MigrationPlan(from: ModelGraph(old), to: ModelGraph(new)))
        for name in conflicts { new.checkLinks(of: name) }
        let plan = MigrationPlan(from: ModelGraph(old), to: ModelGraph(new))
        #expect(plan.diagnostics.all.filter { $0.severity == .error }.map(\.description) == [], "\(title)")
        for name in pair.required {
            let told = plan.diagnostics.all.filter {
                $0.code == .migrationNotInferrable && $0.message.contains("'\(name)'")
            }
            #expect(told.map(\.severity) == [.warning], "\(title)")
            #expect(told.flatMap(\.fixes).map(\.title).contains("Make it optional"))
        }
        var generator = SeededGenerator(seed: seed)
        let upgrade = try Upgrade(plan, rows: [])
        let (before, after) = (
            RandomStore(plan.source, upgrade.database), RandomStore(plan.destination, upgrade.database)
        )
        try before.fill(&generator)
        let graph = try ReferenceGraph(before)
        let migration = ReferenceMigration(from: plan.source.graph, to: plan.destination.graph)
        let (expected, ordered) = migration.migrate(graph)
        let isRefused =
            pair.required.contains { name in
                graph.objects.values.contains { $0.entityName == name.prefix { $0 != "." } }
            } || migration.lacksRequired(expected)
        let refusal = try upgrade.run()
        // The links may pass their check, or not.
        if conflicts.isEmpty || refusal == nil {
            #expect((refusal != nil) == isRefused, "\(title): \(refusal?.reason ?? "")")
        }
        if refusal != nil {
            let left = try ReferenceGraph(before)
            #expect(left.differences(from: graph, ordered: [], plan.source.graph) == [], "\(title)")
            return
        }
        let found = try ReferenceGraph(after)
        #expect(found.differences(from: expected, ordered: ordered, plan.destination.graph) == [], "\(title)")
        #expect(try upgrade.database.lines("PRAGMA foreign_key_check") == [], "\(title)")
        #expect(try upgrade.database.lines("PRAGMA integrity_check") == ["ok"], "\(title)")
        expectProven(plan)
    }
}

extension Model {
    /// Makes the migration check the links of a relationship, and refuse a store that would lose any.
    fileprivate mutating func checkLinks(of name: String) {
        for index in entities.indices {
            for position in entities[index].relationships.indices
            where "\(entities[index].name).\(entities[index].relationships[position].name)" == name {
                entities[index].relationships[position].userInfo.entries.append(
                    .init(key: "ashlar.migrationCheck", value: "lossless"))
            }
        }
    }

    /// Gives a required attribute without a default a value for existing objects, as its author would.
    fileprivate mutating func answer(_ name: String) {
        for index in entities.indices {
            for position in entities[index].attributes.indices
            where "\(entities[index].name).\(entities[index].attributes[position].name)" == name {
                entities[index].attributes[position].userInfo.entries.append(
                    .init(key: "ashlar.migrationDefault", value: "0"))
            }
        }
    }
}
