import DataModel
import RandomNumbers
import RandomSeeds
import RelationalSchema
import Testing

@testable import SchemaMigration

/// The proof in parts must find the faults that the proof of the whole finds.
@Suite("The parts of a proof")
struct ProofDivisionTests {
    @Test("Random planners' faults are found in parts as in the whole", arguments: PlanDamage.allCases)
    func faults(damage: PlanDamage) {
        for seed in seeds(4) {
            var generator = SeededGenerator(seed: seed.number &+ 3_000_000)
            let plan = Self.randomPlan(&generator)
            if plan.diagnostics.hasErrors { continue }
            for number in 0..<3 {
                guard let damaged = damage.damaged(plan, &generator) else { continue }
                let whole = PartProof(plan: damaged, part: ProofPart(allOf: damaged)).run()
                let isRight = Self.isRight(damaged)
                #expect(
                    isRight == whole.all.isEmpty,
                    "seed \(seed), fault \(number): \(whole.all.map(\.description))")
            }
        }
    }

    @Test("Random plans are proven in parts, each of which all that is touched is in")
    func covered() {
        for seed in seeds(12) {
            var generator = SeededGenerator(seed: seed.number &+ 4_000_000)
            let plan = Self.randomPlan(&generator)
            if plan.diagnostics.hasErrors { continue }
            guard let parts = ProofDivision.parts(of: plan, tableLimit: 0) else {
                Issue.record("seed \(seed) is not divided")
                continue
            }
            #expect(Self.isRight(plan), "seed \(seed)")
            // Each statement and each table that changes is in exactly one part, in the plan's order.
            let own = parts.map { part in part.statements.filter { $0 != ProofPart.schemaCheck } }
            #expect(own.reduce(0) { $0 + $1.count } == plan.statements.count, "seed \(seed)")
            let order = Dictionary(plan.statements.enumerated().map { ($1, $0) }) { first, _ in first }
            for statements in own {
                let positions = statements.compactMap { order[$0] }
                #expect(positions == positions.sorted(), "seed \(seed)")
            }
            let changed = Set(plan.source.tables).symmetricDifference(plan.destination.tables).map(\.name)
            let covered = parts.flatMap { Set(($0.source.tables + $0.destination.tables).map(\.name)) }
            #expect(covered.count == Set(covered).count, "seed \(seed)")
            #expect(Set(covered).isSuperset(of: changed), "seed \(seed)")
            // The same plan has the same parts.
            let again = ProofDivision.parts(of: plan, tableLimit: 0)
            #expect(again?.map(\.statements) == parts.map(\.statements))
            #expect(again?.map(\.creations) == parts.map(\.creations))
        }
    }

    /// The plan between two versions. Each consists of several models without connections.
    private static func randomPlan(_ generator: inout SeededGenerator) -> MigrationPlan {
        var versions: [(old: Model, new: Model)] = []
        while versions.count < 3 {
            let old = RandomModel(seed: generator.number(0..<1_000_000))
            let new = old.changed(&generator)
            let plan = MigrationPlan(from: ModelGraph(old.model), to: ModelGraph(new.model))
            if !plan.diagnostics.hasErrors { versions.append((old.model, new.model)) }
        }
        return MigrationPlan(
            from: ModelGraph(.union(versions.map(\.old))), to: ModelGraph(.union(versions.map(\.new))))
    }

    /// Whether each of the smallest parts is right.
    private static func isRight(_ plan: MigrationPlan) -> Bool { MigrationProof(plan, tableLimit: 0).isRightInParts }

    // MARK: The contents of a part

    /// The tables of each part; those that are only referenced are in parentheses.
    private func parts(_ old: [Entity], _ new: [Entity], limit: Int = 0) throws -> [[String]] {
        try #require(ProofDivision.parts(of: makePlan(old, new), tableLimit: limit)).map { part in
            var seen: Set<String> = []
            return (part.source.tables + part.destination.tables).map(\.name).filter { seen.insert($0).inserted }
                + part.referencedTableNames.map { "(\($0))" }
        }
    }

    /// Three entities: the second and third refer to the one before.
    private func chain(_ attributes: [String: Attribute]) -> [Entity] {
        let names = ["Author", "Book", "Copy"]
        return names.indices.map { index in
            Entity(
                name: names[index], attributes: [optional("name")] + (attributes[names[index]].map { [$0] } ?? []),
                relationships: index > 0 ? [toOne("one", names[index - 1])] : [])
        }
    }

    @Test("Tables that get columns are parts of their own, and others are in none")
    func columns() throws {
        let (old, note) = (chain([:]), optional("note"))
        #expect(try parts(old, chain(["Book": note])) == [["Book", "(Author)"]])
        #expect(try parts(old, chain(["Author": note, "Copy": note])) == [["Author"], ["Copy", "(Book)"]])
        let all = ["Author": note, "Book": note, "Copy": note]
        #expect(try parts(old, chain(all)) == [["Author"], ["Book", "(Author)"], ["Copy", "(Book)"]])
        #expect(try parts(old, chain(all), limit: 2) == [["Author", "Book"], ["Copy", "(Book)"]])
        #expect(try parts(old, chain(all), limit: 3) == [["Author", "Book", "Copy"]])
        #expect(try parts(old, old) == [])
    }

    @Test("Tables that refer to rows that may go are in their part")
    func rows() throws {
        let old = chain([:])
        var new = chain(["Author": required("code", .integer64)])
        #expect(try parts(old, new) == [["Author", "Book"]])
        new = chain([:])
        new[0].name = "Writer"
        new[0].renamingIdentifier = "Author"
        new[1].relationships[0].destinationName = "Writer"
        #expect(try parts(old, new) == [["Author", "Book", "Writer"]])
        new = Array(chain([:]).dropLast())
        #expect(try parts(old, new) == [["Copy", "(Book)"]])
    }

    @Test("A table that differs has something to prove though no statement names it")
    func forgotten() throws {
        var plan = makePlan(chain([:]), chain(["Book": optional("note"), "Copy": optional("note")]))
        plan.statements.removeAll { $0.sql.contains("\"Copy\"") }
        let parts = try #require(ProofDivision.parts(of: plan, tableLimit: 0))
        #expect(parts.map(\.statements.count) == [1, 0])
        #expect(parts.last?.destination.tables.map(\.name) == ["Copy"])
        #expect(!MigrationProof(plan, tableLimit: 0).isRightInParts)
        #expect(MigrationProof(plan, tableLimit: 0).run().hasErrors)
    }

    @Test("What another part's statement would find in the schema on the way is found")
    func schemaChecks() throws {
        func entities(_ type: AttributeType, _ indexes: [FetchIndex]) -> [Entity] {
            let attributes = [optional("code", type), required("latitude", .double, default: "0")]
            return [
                Entity(name: "Author", attributes: [optional("code", type)]),
                Entity(name: "Place", attributes: attributes, indexes: indexes),
            ]
        }
        let index = FetchIndex(name: "place", kind: .rtree, elements: [FetchIndex.Element(propertyName: "latitude")])
        var plan = makePlan(entities(.integer16, [index]), entities(.double, []))
        #expect(MigrationProof(plan, tableLimit: 0).isRightInParts)
        // Without the removed statement, the trigger goes only with the table of places, at the end. The table of
        // authors is renamed before.
        let forgotten = try #require(plan.statements.firstIndex { $0.sql.hasPrefix("DROP TRIGGER") })
        plan.statements.remove(at: forgotten)
        #expect(MigrationProof(plan).run().hasErrors)
        #expect(!MigrationProof(plan, tableLimit: 0).isRightInParts)
    }

    @Test("Derived values are with what they are derived from, and letters that stay are where they are read")
    func derivations() throws {
        func entities(_ note: [Attribute]) -> [Entity] {
            func derived(_ name: String, _ expression: String, _ type: AttributeType) -> Attribute {
                var attribute = optional(name, type)
                attribute.derivationExpression = expression
                return attribute
            }
            return [
                Entity(
                    name: "Author", attributes: [optional("name"), derived("count", "books.@count", .integer64)],
                    relationships: [toMany("books", "Book", inverse: "author")]),
                Entity(
                    name: "Book",
                    attributes: [optional("title"), derived("key", "canonical:(title)", .string)] + note,
                    relationships: [toOne("author", "Author", inverse: "books")]),
                Entity(
                    name: "Shop",
                    attributes: [optional("title"), derived("key", "canonical:(title)", .string)] + note),
            ]
        }
        // If more than one column is removed, the table is rewritten, without its triggers.
        let plan = makePlan(entities([optional("note"), optional("remark")]), entities([]))
        let parts = try #require(ProofDivision.parts(of: plan, tableLimit: 0))
        #expect(parts.map { $0.source.tables.map(\.name) } == [["Author", "Book"], ["Shop"]])
        #expect(parts.map { $0.letterTables.map(\.name) } == [["ashlar$canonical"], ["ashlar$canonical"]])
        #expect(MigrationProof(plan, tableLimit: 0).isRightInParts)
    }

    // MARK: SQL of authors

    private func scripted(_ sql: String...) -> MigrationPlan {
        let statements = sql.map { MigrationScript.Statement(sql: $0, location: SourceLocation(file: "2.sql")) }
        return MigrationPlan(
            from: ModelGraph(makeModel("1", chain([:]))),
            to: ModelGraph(makeModel("2", chain(["Book": optional("note")]))),
            script: MigrationScript(after: statements))
    }

    @Test("What an author writes connects what it names, in whatever letters")
    func scripts() throws {
        let plan = scripted("update BOOK set note = (select name from main.copy where one = id$)")
        let parts = try #require(ProofDivision.parts(of: plan, tableLimit: 0))
        #expect(parts.map { $0.source.tables.map(\.name) } == [["Book", "Copy"]])
        #expect(MigrationProof(plan, tableLimit: 0).isRightInParts)
        let deletion = scripted("DELETE FROM Author")
        #expect(!MigrationProof(deletion, tableLimit: 0).isRightInParts)
        #expect(MigrationProof(deletion, tableLimit: 0).run().all == MigrationProof(deletion).run().all)
    }

    @Test(
        "Where it is not sure what a statement does, the whole is proven",
        arguments: [
            "UPDATE Book SET note = 'a' -- don't", "UPDATE [Book] SET note = 'a'", "REINDEX", "SELECT 1",
            "UPDATE Book SET note = (SELECT group_concat(name) FROM sqlite_schema)",
            "UPDATE Book SET note = (SELECT count(*) FROM pragma_table_list)",
        ])
    func unclear(sql: String) {
        let plan = scripted(sql)
        #expect(ProofDivision.parts(of: plan, tableLimit: 0) == nil)
        #expect(MigrationProof(plan, tableLimit: 0).run().all.map(\.description) == [])
    }

    @Test("A scratch table of the author's own is in the part of what it is made of")
    func scratchTables() throws {
        let plan = scripted(
            "CREATE TEMP TABLE scratch AS SELECT id$ AS id, name FROM Copy",
            "UPDATE Book SET note = (SELECT name FROM scratch WHERE id = Book.id$)", "DROP TABLE scratch")
        let parts = try #require(ProofDivision.parts(of: plan, tableLimit: 0))
        #expect(parts.map { $0.source.tables.map(\.name) } == [["Book", "Copy"]])
        #expect(MigrationProof(plan, tableLimit: 0).isRightInParts)
    }

    // MARK: Many tables

    /// A number of entities: each except the first refers to the one before.
    private func longChain(_ count: Int, _ attribute: (Int) -> Attribute?) -> [Entity] {
        (0..<count).map { index in
            Entity(
                name: "Entity\(index)", attributes: [optional("name")] + [attribute(index)].compactMap(\.self),
                relationships: index > 0 ? [toOne("one", "Entity\(index - 1)")] : [])
        }
    }

    @Test("A migration of many tables is proven in parts of a size, and a fault in one of them is told of the whole")
    func manyTables() throws {
        let old = longChain(250) { _ in nil }
        var plan = makePlan(old, longChain(250) { $0 % 2 == 0 ? optional("note") : nil })
        let parts = try #require(ProofDivision.parts(of: plan, tableLimit: 50))
        #expect(parts.map(\.source.tables.count) == [50, 50, 25])
        #expect(MigrationProof(plan).isRightInParts)
        #expect(MigrationProof(plan).run().all.isEmpty)
        plan.statements.remove(at: 77)
        #expect(!MigrationProof(plan).isRightInParts)
        let findings = MigrationProof(plan).run().all
        #expect(findings.map(\.code) == [.migrationUnproven])
        #expect(findings == PartProof(plan: plan, part: ProofPart(allOf: plan)).run().all)
    }

    @Test("Tables that are copied because of a check are proven in parts too")
    func manyChecks() throws {
        let old = longChain(150) { _ in nil }
        let plan = makePlan(old, longChain(150) { $0 % 10 == 0 ? required("code", .integer64) : nil })
        #expect(MigrationProof(plan).isRightInParts)
    }
}
