import Foundation
import Testing

@testable import Ashlar

/// What comes along when objects are related, what is refused, and what a load costs.
@Suite struct RelatingTests {
    let context: ModelContext

    init() throws { context = try memoryContext() }

    @Test func relatedObjectsAreInsertedToo() throws {
        let owner = Owner(name: "owner", cascaded: [Cascaded(name: "a")])
        context.insert(owner)
        #expect(context.insertedModelsArray.count == 2)
        try context.save()
        owner.nullified.append(Nullified(name: "b"))
        let denied = Denied(name: "c")
        denied.owner = owner
        #expect(denied.modelContext === context && context.insertedModelsArray.count == 2)
        let chain = Node(name: "1", children: [Node(name: "2", friends: [Node(name: "3", marks: [Label(name: "4")])])])
        context.insert(chain)
        #expect(context.insertedModelsArray.count == 6)
        try context.save()
        #expect(try context.fetched(Label.self).count == 1)
        #expect(try context.fetched(Node.self).count == 3)
    }

    @Test func objectsOfAnotherContextAreRefused() throws {
        let owner = Owner(name: "here")
        context.insert(owner)
        let other = ModelContext(context.container)
        let item = Nullified(name: "there")
        other.insert(item)
        owner.nullified.append(item)
        #expect(owner.nullified.isEmpty && item.owner == nil)
        #expect(throws: ContextError.objectOfAnotherContext(entity: "Nullified")) { try context.save() }
        try context.save()
        context.insert(item)
        #expect(throws: ContextError.objectOfAnotherContext(entity: "Nullified")) { try context.fetch(Owner.all) }
        let stranger = Animal(diet: .herbivorous, name: "zebra")
        context.insert(stranger)
        #expect(throws: ContextError.entityOfAnotherModel(entity: "Animal")) { try context.save() }
    }

    @Test func deletedObjectsAreRefused() throws {
        let owner = Owner(name: "owner")
        let item = Nullified(name: "item")
        context.insert(owner)
        context.insert(item)
        try context.save()
        context.delete(owner)
        item.owner = owner
        #expect(item.owner == nil)
        #expect(throws: ContextError.deletedObject(entity: "Owner")) { try context.save() }
        try context.save()
        #expect(try context.fetched(Nullified.self).count == 1)
    }

    @Test("row 91: loading serves all siblings") func loadingServesAllSiblings() throws {
        for index in 0..<50 {
            let owner = Owner(name: "\(index)", nullified: (0..<5).map { Nullified(name: "\($0)") })
            context.insert(owner)
            context.insert(Person(name: "\(index)", labels: [Label(name: "\(index)"), Label(name: "x")]))
        }
        try context.save()
        let container = context.container
        let reading = ModelContext(container)
        var runs = try container.statementRuns()
        func expectStatements(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
            let now = try container.statementRuns()
            #expect(now - runs == count, sourceLocation: sourceLocation)
            runs = now
        }
        let items = try reading.fetch(Nullified.all)
        try expectStatements(1)
        #expect(Set(items.compactMap { $0.owner?.name }).count == 50)
        try expectStatements(1)
        #expect(items.compactMap(\.owner).map { $0.nullified.count }.allSatisfy { $0 == 5 })
        try expectStatements(1)
        let people = try reading.fetch(Person.all)
        #expect(people.map { $0.labels.count }.reduce(0, +) == 100)
        try expectStatements(2)
        #expect(people.flatMap { $0.labels }.allSatisfy { $0.people.count == 1 })
        try expectStatements(1)
        // Adding and removing load nothing.
        let owner = try #require(try ModelContext(container).fetch(Owner.where { $0.name == "7" }).first)
        runs = try container.statementRuns()
        owner.nullified.append(Nullified(name: "unloaded"))
        try expectStatements(0)
    }
}
