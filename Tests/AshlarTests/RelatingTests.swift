import Foundation
import Testing

@testable import Ashlar

/// Relating objects: the objects that are inserted along, the refusals, and the cost of a load.
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

    /// Owners with five items each, and people with two labels, one of them in common.
    private func insertGraph() throws -> ModelContainer {
        for index in 0..<50 {
            let owner = Owner(name: "\(index)", nullified: (0..<5).map { Nullified(name: "\($0)") })
            context.insert(owner)
            context.insert(Person(name: "\(index)", labels: [Label(name: "\(index)"), Label(name: "x")]))
        }
        try context.save()
        return context.container
    }

    private func statements(_ context: ModelContext, _ body: () throws -> Void) rethrows -> Int {
        context.statementCount = 0
        try body()
        return context.statementCount
    }

    @Test("row 91: loading serves all siblings, from the second object on") func loadingServesAllSiblings() throws {
        let container = try insertGraph()
        let reading = ModelContext(container)
        let items = try reading.fetch(Nullified.order { $0.name.ascending })
        // The first owner alone, then all others.
        var names: Set<String> = []
        #expect(statements(reading) { names = Set(items.compactMap { $0.owner?.name }) } == 2)
        #expect(names.count == 50)
        let people = try reading.fetch(Person.all)
        var counts: [Int] = []
        let counting = statements(reading) { counts = people.map { $0.labels.count } }
        #expect(counting == 2 && counts == Array(repeating: 2, count: 50))
        let labels = try reading.fetch(Label.all)
        #expect(statements(reading) { counts = labels.map { $0.people.array.count } } == 4, "of each of two loads")
        #expect(counts == Array(repeating: 1, count: 100))
        // Adding and removing load nothing.
        let adding = ModelContext(container)
        let owner = try #require(try adding.fetch(Owner.where { $0.name == "7" }).first)
        let runs = try container.statementRuns()
        owner.nullified.append(Nullified(name: "unloaded"))
        #expect(try container.statementRuns() == runs)
    }

    @Test("row 91: one object loads its own members alone") func oneObjectLoadsItsOwn() throws {
        let reading = ModelContext(try insertGraph())
        let owners = try reading.fetch(Owner.all)
        let owner = try #require(owners.first { $0.name == "7" })
        #expect(owner.nullified.array.count == 5)
        #expect(reading.registry.map(for: Nullified._ashlarEntity.number.root).count == 5)
        reading.delete(owner)
        try reading.save()
        #expect(reading.registry.map(for: Nullified._ashlarEntity.number.root).count == 5)
    }

    @Test func whoeverIsNotHeldIsNotLoadedFor() throws {
        let reading = ModelContext(try insertGraph())
        let owners = try Array(reading.fetch(Owner.all).prefix(2))
        for owner in owners { #expect(owner.nullified.array.count == 5) }
        #expect(reading.registry.map(for: Nullified._ashlarEntity.number.root).count == 10)
    }

    @Test func theWaysOfLoading() throws {
        let container = try insertGraph()
        func loaded(_ loading: RelationshipLoading) throws -> (statements: Int, items: Int) {
            let reading = ModelContext(container)
            reading.relationshipLoading = loading
            let owners = try reading.fetch(Owner.all)
            var areEmpty = true
            let count = statements(reading) { areEmpty = owners.contains { $0.nullified.isEmpty } }
            #expect(!areEmpty)
            return (count, reading.registry.map(for: Nullified._ashlarEntity.number.root).count)
        }
        #expect(try loaded(.automatic) == (2, 250))
        #expect(try loaded(.siblings) == (1, 250))
        #expect(try loaded(.object) == (50, 0), "the store is asked for each")
        let reading = ModelContext(container)
        let owners = try reading.fetch(Owner.order { $0.name.ascending }.limit(7))
        let count = try statements(reading) {
            try reading.prefetch({ $0.nullified }, of: owners)
            for owner in owners where owner.nullified.count != 5 || owner.nullified.array.count != 5 {
                Issue.record("of \(owner.name)")
            }
        }
        #expect(count == 1)
    }

    /// Counts and membership tests have the same results in the store and with loaded members, whatever changes are
    /// pending.
    @Test func countsAndMembersAreAsked() throws {
        let reading = ModelContext(try insertGraph())
        let owners = try reading.fetch(Owner.order { $0.name.ascending })
        let items = try reading.fetch(Nullified.all)
        let (first, second) = (owners[0], owners[1])
        var isEmpty = true
        #expect(statements(reading) { isEmpty = first.nullified.isEmpty } == 1)
        #expect(!isEmpty && reading.registry.map(for: Nullified._ashlarEntity.number.root).count == 250)
        let own = try #require(items.first { $0.owner === first })
        var contain: [Bool] = []
        let count = statements(reading) { contain = [first, second].map { $0.nullified.contains(own) } }
        #expect(count == 0, "the reference tells")
        #expect(contain == [true, false])
        own.owner = second
        #expect(first.nullified.count == 4 && second.nullified.count == 6)
        #expect(!first.nullified.contains(own) && second.nullified.contains(own))
        reading.delete(own)
        #expect(second.nullified.count == 5 && !second.nullified.contains(own))
        let people = try reading.fetch(Person.order { $0.name.ascending })
        let label = try #require(people[3].labels.first)
        let asking = ModelContext(reading.container)
        let (person, other) = (
            try asking.model(for: people[3].persistentModelID) as Person,
            try asking.model(for: people[4].persistentModelID) as Person
        )
        let same: Label = try asking.model(for: label.persistentModelID)
        #expect(person.labels.contains(same) && !other.labels.contains(same))
        #expect(asking.registry.map(for: Label._ashlarEntity.number.root).count == 1)
        person.labels.remove(same)
        other.labels.append(same)
        #expect(!person.labels.contains(same) && other.labels.contains(same))
        #expect(person.labels.count == 1 && other.labels.count == 3)
        asking.delete(same)
        #expect(other.labels.count == 2 && !other.labels.contains(same))
    }
}
