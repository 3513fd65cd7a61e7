import Ashlar
import Testing

/// Results of a subentity, whose table also has rows of its siblings.
@Suite struct SubentityResultsTests {
    private let container: ModelContainer
    private let context: ModelContext
    private let other: ModelContext

    init() throws {
        container = try memoryContainer()
        context = ModelContext(container)
        context.automaticallyMergesChangesFromParent = true
        other = ModelContext(container)
        context.insert(Car(name: "car"))
        context.insert(Boat(name: "boat"))
        try context.save()
    }

    private func names(_ results: FetchedResultsController<Car, Never>) -> [String] {
        results.fetchedObjects.map(\.name)
    }

    /// Saves the changes of a closure in another context, and merges them.
    private func saveElsewhere(_ body: (ModelContext) throws -> Void) throws {
        try body(other)
        try other.save()
        context.processPendingChanges()
    }

    @Test(arguments: [true, false], [true, false])
    func aSiblingSavedElsewhereIsNoneOfTheResults(inChild: Bool, includesSubentities: Bool) throws {
        let reader = inChild ? ModelContext(parent: context) : context
        reader.automaticallyMergesChangesFromParent = true
        var cars = Car.order { $0.name.ascending }
        cars.includesSubentities = includesSubentities
        let log = ChangeLog<Car, Never>()
        let results = FetchedResultsController(cars, in: reader)
        results.delegate = log
        try results.performFetch()
        func update() throws {
            reader.processPendingChanges()
            _ = try reader.fetch(Person.all)
            let fetched = try reader.fetch(cars).map(\.name)
            #expect(names(results) == fetched)
        }
        try saveElsewhere { $0.insert(Boat(name: "new")) }
        try update()
        try saveElsewhere { other in for boat in try other.fetch(Boat.all) { boat.wheels = 0 } }
        try update()
        try saveElsewhere { other in for boat in try other.fetch(Boat.all) { other.delete(boat) } }
        try update()
        #expect(names(results) == ["car"] && log.lines.isEmpty)
        try saveElsewhere { other in
            other.insert(Bus(name: "bus"))
            other.insert(Car(name: "zoe"))
            other.insert(Truck(name: "truck", load: 1))
        }
        try update()
        #expect(names(results) == (includesSubentities ? ["car", "truck", "zoe"] : ["car", "zoe"]))
    }

    @Test func pendingChangesAreSavedAfterASiblingWasSavedElsewhere() throws {
        let results = FetchedResultsController(Truck.all, in: context)
        try results.performFetch()
        let person = Person(name: "Ada")
        context.insert(person)
        try saveElsewhere { $0.insert(Boat(name: "new")) }
        try context.save()
        #expect(try context.fetchCount(Person.all) == 1 && results.fetchedObjects.isEmpty)
    }

    @Test @MainActor func asynchronousResultsGoOn() async throws {
        let main = container.mainContext
        var seen: [[String]] = []
        for try await cars in main.results(Car.order { $0.name.ascending }) {
            seen.append(cars.map(\.name))
            if seen.count == 2 { break }
            other.insert(Boat(name: "new"))
            try other.save()
            main.processPendingChanges()
            other.insert(Car(name: "zoe"))
            try other.save()
        }
        #expect(seen == [["car"], ["car", "zoe"]])
    }
}
