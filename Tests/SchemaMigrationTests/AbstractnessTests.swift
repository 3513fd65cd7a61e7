import DataModel
import RelationalSchema
import SchemaMigration
import TestDatabase
import Testing

/// Entities of a hierarchy come, go, and become abstract or concrete, in every combination.
@Suite struct AbstractnessTests {
    /// The state of an entity in a version.
    enum State: CaseIterable {
        case absent, abstract, concrete
    }

    /// Up to three entities, each below the one before.
    struct Shape: CustomStringConvertible {
        var states: [State]
        static let names = ["Message", "Text", "Rich"]

        static let all = State.allCases.flatMap { first in
            State.allCases.flatMap { second in State.allCases.map { Shape(states: [first, second, $0]) } }
        }.filter { $0.states != [.absent, .absent, .absent] }

        var description: String {
            zip(Self.names, states).filter { $1 != .absent }.map { "\($1 == .abstract ? "abstract " : "")\($0)" }
                .joined(separator: " > ")
        }

        var entities: [Entity] {
            var parent: String?
            return zip(Self.names, states).compactMap { name, state -> Entity? in
                if state == .absent { return nil }
                defer { parent = name }
                return Entity(
                    name: name, parentName: parent, isAbstract: state == .abstract,
                    attributes: [optional("own\(name)")])
            } + [Entity(name: "Other")]
        }

        func state(_ name: String) -> State { zip(Self.names, states).first { $0.0 == name }?.1 ?? .absent }

        /// Returns the objects of the concrete entities, as rows of the entity and the value of its own attribute.
        func objects(_ schema: Schema, _ database: Database) throws -> [String] {
            try Self.names.flatMap { name -> [String] in
                guard let entity = schema.graph.entity(named: name), let storage = schema.storage(of: entity) else {
                    return []
                }
                let column = "own\(name)"
                return try database.lines(
                    "SELECT '\(name)', \"\(column)\" FROM \"\(storage.tableName)\" WHERE \(storage.rowCondition)")
            }
        }
    }

    private func insertions(_ names: [String], _ schema: Schema) -> [String] {
        names.compactMap { name in
            guard let entity = schema.graph.entity(named: name), let storage = schema.storage(of: entity) else {
                return nil
            }
            let kind = storage.hasDiscriminator ? storage.discriminator.map { "'\($0)'" } ?? "NULL" : nil
            let columns = ["own\(name)"] + (kind == nil ? [] : ["entity$"])
            let values = ["'of \(name)'"] + [kind].compactMap(\.self)
            return """
                INSERT INTO "\(storage.tableName)" (\(columns.map { "\"\($0)\"" }.joined(separator: ", ")))
                VALUES (\(values.joined(separator: ", ")))
                """
        }
    }

    @Test(
        "Objects of an entity that becomes abstract are refused, and all others are as they were", arguments: Shape.all)
    func everyPair(_ old: Shape) throws {
        for new in Shape.all {
            let title = Comment(rawValue: "\(old) becomes \(new)")
            let plan = makePlan(old.entities, new.entities)
            #expect(!plan.diagnostics.hasErrors, title)
            #expect(MigrationProof(plan).run().all.map(\.description) == [], title)
            let concrete = Shape.names.filter { old.state($0) == .concrete }
            let abstracted = concrete.filter { new.state($0) == .abstract }
            let warnings = plan.diagnostics.all.filter { $0.code == .becomesAbstract }
            #expect(warnings.count == abstracted.count, title)
            #expect(warnings.allSatisfy { $0.severity == .warning && $0.fixes.count == 1 }, title)
            for name in abstracted {
                let upgrade = try Upgrade(plan, rows: insertions([name], plan.source))
                let refusal = try upgrade.run()
                #expect(refusal?.entityName == name && refusal?.identifier == "1", title)
            }
            let others = concrete.filter { !abstracted.contains($0) }
            let upgrade = try Upgrade(plan, rows: insertions(others, plan.source))
            #expect(try upgrade.run() == nil, title)
            let expected = others.filter { new.state($0) == .concrete }.map { "\($0)|of \($0)" }
            #expect(try new.objects(plan.destination, upgrade.database) == expected, title)
            #expect(try upgrade.database.lines("PRAGMA foreign_key_check") == [], title)
        }
    }

    // MARK: Changes of an author

    private static let old = [Entity(name: "Message", attributes: [optional("text")])]
    private static let new = [
        Entity(name: "Message", isAbstract: true),
        Entity(name: "Letter", parentName: "Message", attributes: [optional("body")]),
    ]

    private func plan(before: [String] = [], after: [String] = []) -> MigrationPlan {
        func statements(_ texts: [String]) -> [MigrationScript.Statement] {
            texts.map { MigrationScript.Statement(sql: $0, location: SourceLocation(file: "New.sql", line: 1)) }
        }
        return MigrationPlan(
            from: ModelGraph(makeModel("Old", Self.old)), to: ModelGraph(makeModel("New", Self.new)),
            script: MigrationScript(before: statements(before), after: statements(after)))
    }

    @Test func aScriptMayGiveTheObjectsAnotherEntityOrDeleteThem() throws {
        let conversion = [
            "UPDATE Message SET entity$ = 'Letter', body = (SELECT text FROM carried WHERE id = id$)",
            "DROP TABLE carried",
        ]
        let carrying = "CREATE TABLE carried AS SELECT id$ AS id, text FROM Message"
        for (plan, expected) in [
            (plan(before: [carrying], after: conversion), ["1|Letter|a", "2|Letter|b"]),
            (plan(before: ["DELETE FROM Message"]), []), (plan(after: ["DELETE FROM Message"]), []),
        ] {
            expectProven(plan)
            let upgrade = try Upgrade(plan, rows: ["INSERT INTO Message (text) VALUES ('a'), ('b')"])
            #expect(try upgrade.run() == nil)
            #expect(try upgrade.database.lines("SELECT id$, entity$, body FROM Message") == expected)
        }
        let half = plan(after: ["DELETE FROM Message WHERE id$ = 1"])
        let refusal = try Upgrade(half, rows: ["INSERT INTO Message (text) VALUES ('a'), ('b')"]).run()
        #expect(refusal?.identifier == "2")
        #expect(refusal?.reason == "'Message' is abstract now, so there must be no object of it")
    }

    @Test func theStepsSayWhatBecomesAbstractOrConcrete() {
        #expect(
            makePlan(Self.old, Self.new).steps.contains(.changeAbstractness(entityName: "Message", isAbstract: true)))
        #expect(
            makePlan(Self.new, Self.old).steps.contains(.changeAbstractness(entityName: "Message", isAbstract: false)))
    }
}
