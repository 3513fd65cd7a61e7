import Foundation
import Testing

@testable import Ashlar

/// Both sides of every kind of relationship change at once: before the insertion, before the save, and after it.
@Suite struct RelationshipTests {
    /// When a relationship is set.
    enum Moment: CaseIterable {
        case beforeInsertion, beforeSave, afterSave, afterFetch
    }

    let context: ModelContext

    init() throws { context = try memoryContext() }

    /// Brings objects to a moment of their lives.
    private func bring(_ objects: [any PersistentModel], to moment: Moment) throws {
        if moment == .beforeInsertion { return }
        for object in objects { context.insert(object) }
        if moment == .beforeSave { return }
        try context.save()
        if moment == .afterFetch {
            for object in objects { object.record.links = nil }
        }
    }

    /// Inserts, saves, and calls the closure with a context that has seen nothing before.
    private func afterSaving(_ objects: [any PersistentModel], _ check: (ModelContext) throws -> Void) throws {
        for object in objects { context.insert(object) }
        try context.save()
        #expect(!context.hasChanges)
        try context.container.expectSound()
        try check(ModelContext(context.container))
    }

    @Test("rows 13, 83: to one and to many", arguments: Moment.allCases)
    func toOneAndToMany(_ moment: Moment) throws {
        let first = Owner(name: "first")
        let second = Owner(name: "second")
        let items = ["a", "b", "c"].map { Nullified(name: $0) }
        try bring([first, second] + items, to: moment)
        items[0].owner = first
        first.nullified.append(items[1])
        first.nullified.append(items[1])
        #expect(items[1].owner === first)
        #expect(Set(first.nullified.map(\.name)) == ["a", "b"] && first.nullified.count == 2)
        second.nullified = [items[1], items[2]]
        #expect(items[1].owner === second && first.nullified.map(\.name) == ["a"])
        items[2].owner = first
        #expect(second.nullified.map(\.name) == ["b"] && first.nullified.count == 2)
        first.nullified.remove(items[0])
        #expect(items[0].owner == nil && first.nullified.first === items[2])
        try afterSaving([first, second] + items) { other in
            let owners = try other.fetch(Owner.order { $0.name.ascending })
            #expect(owners.map { $0.nullified.map(\.name) } == [["c"], ["b"]])
            let read = try other.fetch(Nullified.order { $0.name.ascending })
            #expect(read.map { $0.owner?.name } == [nil, "second", "first"])
        }
    }

    @Test("row 83: one to one", arguments: Moment.allCases)
    func oneToOne(_ moment: Moment) throws {
        let people = ["a", "b"].map { Person(name: $0) }
        let passports = ["1", "2"].map { Passport(number: $0, person: people[0]) }
        #expect(people[0].passport === passports[1])
        try bring(moment == .beforeInsertion ? [] : people, to: moment)
        passports[0].person = people[1]
        #expect(people[1].passport === passports[0])
        people[0].passport = passports[0]
        #expect(passports[0].person === people[0] && people[1].passport == nil && passports[1].person == nil)
        people[1].passport = passports[1]
        #expect(passports[1].person === people[1])
        try afterSaving(people + passports) { other in
            let read = try other.fetch(Person.order { $0.name.ascending })
            #expect(read.map { $0.passport?.number } == ["1", "2"])
            #expect(read[0].passport?.person === read[0])
        }
        // The passports change hands after the save too.
        people[0].passport = passports[1]
        #expect(people[1].passport == nil && passports[0].person == nil)
        people[1].passport = passports[0]
        try context.save()
        let other = ModelContext(context.container)
        #expect(try other.fetch(Person.order { $0.name.ascending }).map { $0.passport?.number } == ["2", "1"])
    }

    @Test(arguments: Moment.allCases)
    func oneToOneWithItself(_ moment: Moment) throws {
        let nodes = ["a", "b", "c"].map { Node(name: $0) }
        try bring(nodes, to: moment)
        nodes[0].spouse = nodes[1]
        #expect(nodes[1].spouse === nodes[0])
        nodes[2].spouse = nodes[1]
        #expect(nodes[0].spouse == nil && nodes[1].spouse === nodes[2])
        nodes[0].spouse = nodes[0]
        #expect(nodes[0].spouse === nodes[0])
        try afterSaving(nodes) { other in
            let read = try other.fetch(Node.order { $0.name.ascending })
            #expect(read.map { $0.spouse?.name } == ["a", "c", "b"])
        }
        nodes[1].spouse = nil
        #expect(nodes[2].spouse == nil)
        nodes[0].spouse = nodes[2]
        #expect(nodes[2].spouse === nodes[0])
        try context.save()
        let other = ModelContext(context.container)
        #expect(try other.fetch(Node.order { $0.name.ascending }).map { $0.spouse?.name } == ["c", nil, "a"])
    }

    @Test("row 88: many to many", arguments: Moment.allCases)
    func manyToMany(_ moment: Moment) throws {
        let people = ["p", "q"].map { Person(name: $0) }
        let labels = ["x", "y", "z"].map { Label(name: $0) }
        try bring(people + labels, to: moment)
        people[0].labels = [labels[0], labels[1]]
        labels[2].people.append(people[0])
        labels[1].people.append(people[1])
        people[1].labels.append(labels[1])
        #expect(Set(people[0].labels.map(\.name)) == ["x", "y", "z"] && labels[1].people.count == 2)
        people[0].labels.remove(labels[0])
        #expect(labels[0].people.isEmpty)
        labels[1].people = [people[1]]
        #expect(people[0].labels.map(\.name) == ["z"] && people[1].labels.map(\.name) == ["y"])
        try afterSaving(people + labels) { other in
            let read = try other.fetch(Label.order { $0.name.ascending })
            #expect(read.map { $0.people.map(\.name) } == [[], ["q"], ["p"]])
        }
        // Removing members and adding them again leaves the stored links unchanged.
        people[0].labels.remove(labels[2])
        people[0].labels.append(labels[2])
        people[1].labels.removeAll()
        try context.save()
        let other = ModelContext(context.container)
        #expect(try other.fetch(Person.order { $0.name.ascending }).map { $0.labels.map(\.name) } == [["z"], []])
    }

    @Test(arguments: Moment.allCases)
    func manyToManyWithItself(_ moment: Moment) throws {
        let nodes = ["a", "b", "c"].map { Node(name: $0) }
        try bring(nodes, to: moment)
        nodes[0].friends.append(nodes[1])
        nodes[2].friends = [nodes[0], nodes[2]]
        nodes[0].targets = [nodes[1], nodes[0]]
        nodes[2].sources.append(nodes[0])
        #expect(nodes[1].friends.first === nodes[0] && Set(nodes[0].friends.map(\.name)) == ["b", "c"])
        #expect(Set(nodes[2].friends.map(\.name)) == ["a", "c"])
        #expect(Set(nodes[0].targets.map(\.name)) == ["a", "b", "c"] && nodes[0].sources.map(\.name) == ["a"])
        nodes[0].friends.remove(nodes[2])
        try afterSaving(nodes) { other in
            let read = try other.fetch(Node.order { $0.name.ascending })
            #expect(read.map { Set($0.friends.map(\.name)) } == [["b"], ["a"], ["c"]])
            #expect(read.map { Set($0.targets.map(\.name)) } == [["a", "b", "c"], [], []])
            #expect(read.map { Set($0.sources.map(\.name)) } == [["a"], ["a"], ["a"]])
        }
    }

    @Test(arguments: Moment.allCases)
    func withoutInverse(_ moment: Moment) throws {
        let nodes = ["a", "b"].map { Node(name: $0) }
        let labels = ["x", "y"].map { Label(name: $0) }
        try bring(nodes + labels, to: moment)
        nodes[0].favourite = labels[0]
        nodes[1].favourite = labels[0]
        nodes[0].marks = ToMany(labels)
        nodes[1].marks.append(labels[1])
        nodes[1].marks.append(labels[1])
        #expect(nodes[0].favourite === nodes[1].favourite && nodes[1].marks.count == 1)
        try afterSaving(nodes + labels) { other in
            let read = try other.fetch(Node.order { $0.name.ascending })
            #expect(read.map { $0.favourite?.name } == ["x", "x"])
            #expect(read.map { Set($0.marks.map(\.name)) } == [["x", "y"], ["y"]])
        }
        context.delete(labels[0])
        #expect(nodes[0].favourite == nil && nodes[0].marks.map(\.name) == ["y"])
        nodes[1].marks.remove(labels[1])
        try context.save()
        let read = ModelContext(context.container)
        let other = try read.fetch(Node.order { $0.name.ascending })
        #expect(other.allSatisfy { $0.favourite == nil } && other.map { $0.marks.count } == [1, 0])
        try context.container.expectSound()
    }

    @Test(arguments: [true, false])
    func addingTakingAwayAndAddingAgain(isLoaded: Bool) throws {
        context.insert(Owner(name: "owner"))
        context.insert(Person(name: "person"))
        try context.save()
        let other = ModelContext(context.container)
        let owner = try #require(try other.fetch(Owner.all).first)
        let person = try #require(try other.fetch(Person.all).first)
        if isLoaded { #expect(owner.nullified.isEmpty && person.labels.isEmpty) }
        let item = Nullified(name: "item")
        let label = Label(name: "label")
        for _ in 0..<2 {
            owner.nullified.append(item)
            person.labels.append(label)
            owner.nullified.remove(item)
            person.labels.remove(label)
        }
        owner.nullified.append(item)
        person.labels.append(label)
        #expect(owner.nullified.array == [item] && person.labels.array == [label])
        try other.save()
        #expect(owner.nullified.array == [item] && person.labels.array == [label])
        let last = ModelContext(context.container)
        #expect(try last.fetch(Person.all).first?.labels.first?.name == "label")
        #expect(try last.fetch(Owner.all).first?.nullified.first?.name == "item")
    }

    /// Sibling entities have relationships of the same name, which lead to the same entity.
    @Test("row 90: sibling branches") func siblingBranches() throws {
        let car = Truck(name: "truck", load: 2.5, plate: "A")
        let boat = Boat(name: "boat", load: "fish")
        let bus = Bus(name: "bus", doors: 3)
        car.cargo.append(Crate(name: "on wheels"))
        boat.cargo.append(Crate(name: "on water"))
        let driver = Person(name: "driver", vehicles: [car, boat, bus])
        try afterSaving([driver]) { other in
            let vehicles = try other.fetch(Vehicle.order { $0.name.ascending })
            #expect(vehicles.map { type(of: $0) == Boat.self } == [true, false, false])
            let boat = try #require(vehicles[0] as? Boat)
            let truck = try #require(vehicles[2] as? Truck)
            #expect(boat.cargo.map(\.name) == ["on water"] && truck.cargo.map(\.name) == ["on wheels"])
            #expect(truck.doors == 4 && truck.load == 2.5 && boat.load == "fish" && (vehicles[1] as? Bus)?.doors == 3)
            #expect(try other.fetch(Car.all).count == 1 && other.fetch(Bus.all).count == 1)
            #expect(try other.fetchCount(Vehicle.where { $0.driver.name == "driver" }) == 3)
            #expect(try other.fetch(Person.all).first?.vehicles.count == 3)
        }
    }
}
