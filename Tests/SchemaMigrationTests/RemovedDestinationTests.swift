import DataModel
import RelationalSchema
import SchemaMigration
import Testing

@Suite("A sub-entity is removed to which other objects lead")
struct RemovedDestinationTests {
    struct Shape: Sendable, CustomStringConvertible {
        /// Whether discussions, and messages if they are a hierarchy, have an abstract root.
        var isAbstract: Bool
        var hasKindsOfMessages: Bool
        /// The deletion rule of the inverse; nil if there is none.
        var rule: Relationship.DeletionRule?
        var isOptional: Bool

        var description: String {
            "\(isAbstract ? "abstract" : "concrete") roots, \(hasKindsOfMessages ? "kinds of messages" : "one message"), "
                + "\(rule?.rawValue ?? "no inverse"), \(isOptional ? "optional" : "required")"
        }

        /// Whether messages are deleted with their discussion.
        var isCascading: Bool { rule == .cascade && !isOptional }

        static var all: [Shape] {
            let rules: [Relationship.DeletionRule?] = [.cascade, .nullify, .deny, nil]
            return rules.flatMap { rule in
                [(true, true), (true, false), (false, true), (false, false)].flatMap { isAbstract, hasKinds in
                    [true, false].map {
                        Shape(isAbstract: isAbstract, hasKindsOfMessages: hasKinds, rule: rule, isOptional: $0)
                    }
                }
            }
        }

        func entities(removing isRemoved: Bool) -> [Entity] {
            let messages = rule.map { toMany("messages", "Message", inverse: "discussion", rule: $0) }
            var entities = [
                Entity(
                    name: "Discussion", isAbstract: isAbstract, attributes: [optional("title")],
                    relationships: [messages].compactMap(\.self)),
                Entity(name: "Group", parentName: "Discussion"),
                Entity(
                    name: "Message", isAbstract: isAbstract && hasKindsOfMessages,
                    relationships: [
                        toOne("discussion", "Discussion", inverse: rule.map { _ in "messages" }, optional: isOptional),
                        toMany("attachments", "Attachment", inverse: "message", rule: .cascade),
                    ]),
                Entity(
                    name: "Attachment",
                    relationships: [toOne("message", "Message", inverse: "attachments", optional: false)]),
            ]
            if !isRemoved { entities.append(Entity(name: "Locked", parentName: "Discussion")) }
            if hasKindsOfMessages { entities.append(Entity(name: "System", parentName: "Message")) }
            return entities
        }

        var rows: [String] {
            let (name, value) = hasKindsOfMessages ? (", entity$", ", 'System'") : ("", "")
            return [
                "INSERT INTO Discussion (id$, entity$) VALUES (1, 'Group'), (2, 'Locked')",
                "INSERT INTO Message (id$, discussion\(name)) VALUES (1, 1\(value)), (2, 2\(value))",
                "INSERT INTO Attachment (id$, message) VALUES (1, 1), (2, 2)",
            ]
        }
    }

    @Test(
        "Objects that must lead to a deleted one go along where the rule cascades, else the store is refused",
        arguments: Shape.all)
    func whatLeadsToDeletedObjects(_ shape: Shape) throws {
        let plan = makePlan(shape.entities(removing: false), shape.entities(removing: true))
        #expect(!plan.diagnostics.hasErrors)
        expectProven(plan)
        let upgrade = try Upgrade(plan, rows: shape.rows)
        let refusal = try upgrade.run()
        let isRefused = !shape.isOptional && !shape.isCascading
        #expect(refusal?.entityName == (isRefused ? "Message" : nil))
        #expect(refusal?.identifier == (isRefused ? "2" : nil))
        #expect(plan.diagnostics.all.contains { $0.code == .migrationNotInferrable } == isRefused)
        if isRefused { return }
        let database = upgrade.database
        #expect(try database.lines("SELECT id$, entity$ FROM Discussion") == ["1|Group"])
        #expect(
            try database.lines("SELECT id$, discussion FROM Message ORDER BY 1")
                == (shape.isOptional ? ["1|1", "2|-"] : ["1|1"]))
        #expect(
            try database.lines("SELECT id$ FROM Attachment ORDER BY 1") == (shape.isOptional ? ["1", "2"] : ["1"]))
        #expect(try database.lines("PRAGMA foreign_key_check") == [])
    }

    @Test("The note and the steps name the objects that go along", arguments: Shape.all)
    func whatGoesAlongIsNamed(_ shape: Shape) throws {
        let plan = makePlan(shape.entities(removing: false), shape.entities(removing: true))
        let note = try #require(plan.diagnostics.all.first { $0.code == .dataLoss })
        #expect(
            note.message
                == "Entity 'Locked' is gone, and its objects will be deleted"
                + (shape.isCascading
                    ? ", with the objects of 'Message', 'Attachment' that must lead to one of them" : ""))
        let steps = plan.steps.filter(\.isDestructive)
        let dependents: [MigrationStep] = [
            .removeDependents(PropertyName("Message", "discussion")),
            .removeDependents(PropertyName("Attachment", "message")),
        ]
        #expect(steps == [.removeEntity("Locked")] + (shape.isCascading ? dependents : []))
    }
}
