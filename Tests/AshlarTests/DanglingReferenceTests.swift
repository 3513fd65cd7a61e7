import Ashlar
import AshlarCoreData
import Foundation
import Testing

/// A reference to an object that was deleted, in this context or elsewhere, reads as nil; conditions agree with the
/// property.
@Suite struct DanglingReferenceTests {
    private let container: ModelContainer
    private let context: ModelContext
    private let other: ModelContext

    init() throws {
        container = try memoryContainer()
        context = ModelContext(container)
        context.automaticallyMergesChangesFromParent = true
        other = ModelContext(container)
        context.insert(Person(name: "Ada"))
        context.insert(Car(name: "car"))
        context.insert(Boat(name: "boat"))
        try context.save()
    }

    private func driver(_ context: ModelContext) throws -> Person {
        try #require(try context.fetchFirst(Person.where { $0.name == "Ada" }))
    }

    private func car(_ context: ModelContext) throws -> Car { try #require(try context.fetchFirst(Car.all)) }

    /// Expects that the car has no driver, in every kind of query.
    private func expectNoDriver(_ context: ModelContext, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try car(context).driver == nil, sourceLocation: sourceLocation)
        let none = Vehicle.where { $0.driver == nil }
        let some = Vehicle.where { $0.driver != nil }
        #expect(try context.fetchCount(none) == 2, sourceLocation: sourceLocation)
        #expect(try context.fetch(none).count == 2, sourceLocation: sourceLocation)
        #expect(try context.fetchIdentifiers(none).count == 2, sourceLocation: sourceLocation)
        #expect(try context.fetch(some).isEmpty, sourceLocation: sourceLocation)
        #expect(try context.fetchCount(some) == 0, sourceLocation: sourceLocation)
        #expect(try !context.exists(some), sourceLocation: sourceLocation)
        #expect(
            try context.fetchCount(Vehicle.where { $0.driver.name.optional == nil }) == 2,
            sourceLocation: sourceLocation)
        #expect(
            try context.fetch(FetchDescriptor<Vehicle>(predicate: #Predicate { $0.driver != nil })).isEmpty,
            sourceLocation: sourceLocation)
        #expect(
            try context.fetch(FetchDescriptor<Vehicle>(format: "driver != nil")).isEmpty, sourceLocation: sourceLocation
        )
        let groups: [(PersistentIdentifier?, Int)] = try context.fetch(
            Vehicle.all.group { $0.driver.persistentModelID }.select { ($0.driver.persistentModelID, .count) })
        #expect(groups.map(\.0) == [nil] && groups.map(\.1) == [2], sourceLocation: sourceLocation)
        let names: [String?] = try context.fetch(
            Vehicle.all.group { $0.driver.name.optional }.select { $0.driver.name.optional })
        #expect(names == [nil], sourceLocation: sourceLocation)
        let results = FetchedResultsController(some, in: context)
        try results.performFetch()
        #expect(results.fetchedObjects.isEmpty, sourceLocation: sourceLocation)
    }

    @Test(arguments: [false, true]) func deletedHereAndSetElsewhere(inChild: Bool) throws {
        let reader = inChild ? ModelContext(parent: context) : context
        let some = FetchedResultsController(Vehicle.where { $0.driver != nil }, in: reader) { $0.driver!.name }
        try some.performFetch()
        reader.delete(try driver(reader))
        try car(other).driver = try driver(other)
        try other.save()
        context.processPendingChanges()
        reader.processPendingChanges()
        #expect(some.fetchedObjects.isEmpty)
        try expectNoDriver(reader)
    }

    @Test func setHereAndDeletedElsewhere() throws {
        let some = FetchedResultsController(Vehicle.where { $0.driver != nil }, in: context) { $0.driver!.name }
        try some.performFetch()
        try car(context).driver = try driver(context)
        context.processPendingChanges()
        #expect(some.count == 1)
        other.delete(try driver(other))
        try other.save()
        context.processPendingChanges()
        #expect(some.fetchedObjects.isEmpty)
        try expectNoDriver(context)
    }

    /// No inverse leads from the label back to the objects that refer to it.
    @Test func aReferenceWithoutInverse() throws {
        let (label, other) = (Label(name: "a"), Label(name: "b"))
        let samples = (0..<4).map { _ in Sample() }
        for (index, sample) in samples.enumerated() {
            context.insert(sample)
            sample.home = index < 2 ? label : index == 2 ? other : nil
        }
        try context.save()
        let some = FetchedResultsController(Sample.where { $0.home != nil }, in: context)
        let ofLabel = FetchedResultsController(Sample.where { $0.home == label }, in: context)
        try some.performFetch()
        try ofLabel.performFetch()
        #expect(some.count == 3 && ofLabel.count == 2)
        context.delete(label)
        context.processPendingChanges()
        #expect(samples.map { $0.home?.name } == [nil, nil, "b", nil])
        #expect(some.fetchedObjects == [samples[2]] && ofLabel.fetchedObjects.isEmpty)
        #expect(try context.fetch(Sample.where { $0.home != nil }) == [samples[2]])
        #expect(try context.fetchCount(Sample.where { $0.home == nil }) == 3)
        #expect(try context.fetchCount(Sample.where { $0.home == label }) == 0)
        #expect(try context.fetch(Sample.where { $0.children.contains { $0.home != nil } }).isEmpty)
        context.rollback()
        #expect(some.count == 3 && ofLabel.count == 2)
        #expect(try context.fetchCount(Sample.where { $0.home != nil }) == 3)
    }

    // MARK: Changed here, deleted elsewhere

    @Test func anObjectThatWasChangedHereAndDeletedElsewhereIsInEveryFetch() throws {
        let changed = try car(context)
        changed.name = "changed"
        try other.delete(model: Car.self)
        try other.save()
        context.processPendingChanges()
        let all = Car.all
        #expect(try context.fetch(all) == [changed])
        #expect(try context.fetchCount(all) == 1)
        #expect(try context.fetch(all, batchSize: 10).map { $0?.name } == ["changed"])
        var enumerated: [Car] = []
        try context.enumerate(all) { enumerated.append($0) }
        #expect(enumerated == [changed])
        let names: [String] = try context.fetch(all.select { $0.name })
        #expect(names == ["changed"])
        // Its row no longer has saved values.
        #expect(try context.fetchValues(all).isEmpty)
    }
}
