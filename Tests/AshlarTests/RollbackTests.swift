import Foundation
import Testing

@testable import Ashlar

/// A rollback restores everything.
@Suite struct RollbackTests {
    let context: ModelContext

    init() throws { context = try memoryContext() }

    private var container: ModelContainer { context.container }

    @Test("rows 59, 75: rollback restores everything") func rollbackRestoresEverything() throws {
        let owner = Owner(name: "owner", nullified: [Nullified(name: "a"), Nullified(name: "b")])
        let person = Person(name: "person", labels: [Label(name: "l")])
        let passport = Passport(number: "1", person: person)
        let node = Node(name: "n", favourite: nil, spouse: nil)
        for object in [owner, person, node] as [any PersistentModel] { context.insert(object) }
        try context.save()
        let items = owner.nullified.array
        let label = person.labels[0]
        let before = try container.text("SELECT group_concat(name) FROM Nullified")

        owner.name = "changed"
        items[0].owner = nil
        owner.nullified.append(Nullified(name: "new"))
        context.delete(items[1])
        person.labels = [Label(name: "other")]
        passport.person = Person(name: "thief")
        node.spouse = node
        node.children = [Node(name: "child")]
        context.rollback()

        #expect(!context.hasChanges && context.insertedModelsArray.isEmpty)
        #expect(owner.name == "owner" && Set(owner.nullified.map(\.name)) == ["a", "b"])
        #expect(items.allSatisfy { $0.owner === owner && !$0.isDeleted })
        #expect(person.labels.array == [label] && label.people.first === person)
        #expect(person.passport === passport && passport.person === person)
        #expect(node.spouse == nil && node.children.isEmpty)
        try context.save()
        #expect(try container.text("SELECT group_concat(name) FROM Nullified") == before)
    }

    @Test func rolledBackInsertionsCanBeInsertedAgain() throws {
        let owner = Owner(name: "owner")
        context.insert(owner)
        try context.save()
        let item = Nullified(name: "item", owner: owner)
        let label = Label(name: "label")
        let node = Node(name: "node", favourite: label, marks: [label])
        context.insert(node)
        context.rollback()
        #expect(item.modelContext == nil && node.modelContext == nil && owner.nullified.isEmpty)
        context.insert(item)
        context.insert(node)
        #expect(item.owner == nil && node.favourite == nil)
        item.owner = owner
        try context.save()
        #expect(owner.nullified.count == 1)
        try container.expectSound()
    }
}
