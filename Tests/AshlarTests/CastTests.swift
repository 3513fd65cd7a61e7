import Ashlar
import AshlarCoreData
import Foundation
import Testing

/// `$0.as(Sub.self)` is nil for an object that does not belong to the entity, in every kind of query and state of the
/// object.
@Suite struct CastTests {
    private let container: ModelContainer
    private let context: ModelContext
    private let person = Person(name: "Ada")
    private let car = Car(name: "car")
    private let truck = Truck(name: "truck", load: 2)
    private let boat = Boat(name: "boat")
    private let bus = Bus(name: "bus")

    /// The table has a default for the doors, so that the rows of boats and buses have four.
    init() throws {
        container = try memoryContainer()
        context = ModelContext(container)
        car.doors = 5
        car.driver = person
        boat.driver = person
        car.cargo.append(Crate(name: "in the car"))
        boat.cargo.append(Crate(name: "in the boat"))
        for vehicle in [car, truck, boat, bus] as [Vehicle] { context.insert(vehicle) }
    }

    private func names(_ descriptor: FetchDescriptor<Vehicle>, _ context: ModelContext) throws -> [String] {
        let found = try context.fetch(descriptor).map(\.name)
        #expect(try context.fetchCount(descriptor) == found.count)
        #expect(try context.exists(descriptor) == !found.isEmpty)
        return found
    }

    /// Expects the same of unsaved, saved and changed objects, and in a child context.
    private func inEveryState(_ body: (ModelContext) throws -> Void) throws {
        try body(context)
        try body(ModelContext(parent: context))
        try context.save()
        try body(context)
        try body(ModelContext(container))
        try body(ModelContext(parent: context))
        for vehicle in [car, truck, boat, bus] as [Vehicle] { vehicle.wheels += 1 }
        try body(context)
        for vehicle in [car, truck, boat, bus] as [Vehicle] { vehicle.wheels -= 1 }
    }

    private func expect(
        _ expected: [String], _ spellings: [FetchDescriptor<Vehicle>], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try inEveryState { context in
            for (index, descriptor) in spellings.enumerated() {
                let found = try names(descriptor, context).sorted()
                #expect(found == expected, "spelling \(index)", sourceLocation: sourceLocation)
            }
        }
    }

    private func predicate(_ predicate: Predicate<Vehicle>) -> FetchDescriptor<Vehicle> {
        FetchDescriptor(predicate: predicate)
    }

    private func format(_ text: String) throws -> FetchDescriptor<Vehicle> { try FetchDescriptor(format: text) }

    // MARK: Conditions

    @Test func aComparisonFindsObjectsOfTheEntityAlone() throws {
        try expect(
            ["car", "truck"],
            [
                Vehicle.where { $0.as(Car.self).doors > 3 }, try format("CAST(SELF, 'Car').doors > 3"),
                predicate(#Predicate { (($0 as? Car)?.doors ?? 0) > 3 }),
                Vehicle.where { $0.as(Car.self).doors.asDouble > 3 || $0.as(Car.self).doors.isIn([4, 5]) },
            ])
        try expect(
            ["truck"],
            [
                Vehicle.where { $0.as(Car.self).doors == 4 }, Vehicle.where { $0.as(Car.self).doors.isIn(4...4) },
                predicate(#Predicate { ($0 as? Car)?.doors == 4 }),
                try format("CAST(SELF, 'Car').doors == 4"), try format("CAST(SELF, 'Car').doors IN {4, 6}"),
                Vehicle.where { $0.as(Car.self).doors < 5 && $0.wheels > 0 },
            ])
    }

    @Test func itsOppositesFindAllOthers() throws {
        try expect(
            ["boat", "bus", "car"],
            [
                Vehicle.where { $0.as(Car.self).doors != 4 }, Vehicle.where { !($0.as(Car.self).doors == 4) },
                Vehicle.where { !$0.as(Car.self).doors.isIn([4]) }, Vehicle.where { !($0.as(Car.self).doors <= 4) },
                try format("NOT CAST(SELF, 'Car').doors == 4"),
                predicate(#Predicate { ($0 as? Car)?.doors != 4 }),
            ])
        try expect(
            ["boat", "bus"],
            [
                Vehicle.where { $0.as(Car.self).doors.optional == nil }, try format("CAST(SELF, 'Car').doors == nil"),
                Vehicle.where { ($0.as(Car.self).doors.optional ?? -1) < 0 }, Vehicle.where { !$0.is(Car.self) },
                Vehicle.where { $0.as(Car.self).doors.optional.isIn([nil, 9]) },
                predicate(#Predicate { ($0 as? Car)?.doors == nil }),
                try format("CAST(SELF, 'Car') == nil"), try format("CAST(SELF, 'Car').name == nil"),
            ])
    }

    @Test func anInheritedAttributeIsNilToo() throws {
        try expect(
            ["truck"],
            [
                Vehicle.where { $0.as(Truck.self).wheels == 4 || $0.as(Truck.self).wheels == 5 },
                Vehicle.where { $0.as(Truck.self).name.hasPrefix("") }, try format("CAST(SELF, 'Truck').wheels >= 4"),
                Vehicle.where { $0.as(Truck.self).name.contains("u", options: [.caseInsensitive]) },
                Vehicle.where { $0.as(Car.self).as(Truck.self).doors == 4 },
                predicate(#Predicate { ($0 as? Truck)?.name == "truck" }),
            ])
        try expect([], [Vehicle.where { $0.as(Truck.self).name == "boat" }])
    }

    @Test func aCastKeepsTheCastsBeforeIt() throws {
        try expect(
            [],
            [
                Vehicle.where { $0.as(Car.self).as(Boat.self).wheels > 0 },
                Vehicle.where { $0.as(Car.self).as(Vehicle.self).as(Boat.self).cargo.count >= 0 },
                Vehicle.where { $0.as(Person.self).name == "boat" }, Vehicle.where { $0.is(Person.self) },
            ])
        try expect(
            ["truck"],
            [
                Vehicle.where { $0.as(Truck.self).as(Vehicle.self).wheels > 0 },
                Vehicle.where { $0.as(Truck.self).as(Vehicle.self).as(Car.self).doors == 4 },
                Vehicle.where { $0.as(Truck.self).is(Car.self) }, Vehicle.where { $0.as(Car.self).is(Truck.self) },
            ])
        try expect(["boat", "bus", "car", "truck"], [Vehicle.where { $0.is(Vehicle.self) }])
    }

    @Test func aRelationshipToOneIsNil() throws {
        // The descriptors below contain the objects' identifiers.
        try context.save()
        try expect(
            ["car"],
            [
                Vehicle.where { $0.as(Car.self).driver == person },
                Vehicle.where { $0.as(Car.self).driver.name == "Ada" },
                Vehicle.where { $0.as(Car.self).driver != nil },
                Vehicle.where { $0.as(Car.self).driver.name.optional != nil },
                predicate(#Predicate { ($0 as? Car)?.driver?.name == "Ada" }),
                try format("CAST(SELF, 'Car').driver.name == 'Ada'"), Vehicle.where { $0.as(Car.self) == car },
                Vehicle.where { $0.as(Car.self).driver == $0.driver && $0.driver != nil },
                Vehicle.where { $0.as(Car.self).driver.name == "Ada" && $0.driver.name == "Ada" },
            ])
        try expect(
            ["boat", "bus", "truck"],
            [
                Vehicle.where { $0.as(Car.self).driver == nil }, Vehicle.where { !($0.as(Car.self).driver == person) },
                Vehicle.where { $0.as(Car.self) != car },
            ])
    }

    @Test func aRelationshipToManyIsNil() throws {
        try expect(
            ["truck"],
            [
                Vehicle.where { $0.as(Car.self).cargo.count == 0 }, Vehicle.where { $0.as(Car.self).cargo.isEmpty },
                Vehicle.where { $0.as(Car.self).cargo.count < 1 }, try format("CAST(SELF, 'Car').cargo.@count == 0"),
                Vehicle.where { $0.as(Car.self).cargo.allSatisfy { $0.name == "nothing" } },
                try format("ALL CAST(SELF, 'Car').cargo.name == 'nothing'"),
                predicate(#Predicate { ($0 as? Car)?.cargo.isEmpty == true }),
                predicate(#Predicate { ($0 as? Car)?.cargo.count == 0 }),
            ])
        try expect(
            ["car"],
            [
                Vehicle.where { $0.as(Car.self).cargo.contains { $0.name.hasPrefix("in") } },
                Vehicle.where { $0.as(Car.self).cargo.count > 0 },
                Vehicle.where { $0.as(Car.self).cargo.min { $0.name } == "in the car" },
                Vehicle.where { $0.as(Car.self).cargo.filter { $0.name != "" }.count == 1 },
            ])
        try expect(["boat", "bus", "car"], [Vehicle.where { $0.as(Car.self).cargo.count != 0 }])
        try expect(["boat"], [Vehicle.where { $0.as(Boat.self).cargo.contains { $0.name != "" } }])
    }

    @Test func castsStandInClosuresAndBehindRelationships() throws {
        let other = Person(name: "Bob")
        bus.driver = other
        context.insert(other)
        let cratesOfCars = Crate.where { $0.car.as(Truck.self).wheels > 0 || $0.car.as(Car.self).doors == 5 }
        try inEveryState { context in
            let drivers = Person.where { $0.vehicles.contains { $0.as(Car.self).doors > 3 } }
            let found = try context.fetch(drivers)
            #expect(found.map(\.name) == ["Ada"])
            let sums = Person.order { $0.name.ascending }
            #expect(try context.fetch(sums.where { $0.vehicles.sum { $0.as(Car.self).doors } == 5 }).count == 1)
            #expect(try context.fetch(sums.where { $0.vehicles.sum { $0.as(Car.self).doors } == 0 }).count == 1)
            #expect(
                try context.fetchCount(
                    Person.where { person in
                        person.vehicles.contains { $0.as(Boat.self).cargo.contains { $0.boat.driver == person } }
                    }) == 1)
            #expect(try context.fetch(cratesOfCars).map(\.name) == ["in the car"])
        }
    }

    // MARK: Values

    @Test func ordersTakeOthersForNil() throws {
        try inEveryState { context in
            let order = Vehicle.order { $0.as(Car.self).doors.descending }.order { $0.name.ascending }
            #expect(try names(order, context) == ["car", "truck", "boat", "bus"])
            let controller = FetchedResultsController(order, in: context)
            try controller.performFetch()
            #expect(controller.fetchedObjects.map(\.name) == ["car", "truck", "boat", "bus"])
            var page = try context.fetch(order.limit(3).page(after: nil))
            #expect(page.map(\.name) == ["car", "truck", "boat"])
            page = try context.fetch(order.limit(3).page(after: page.last))
            #expect(page.map(\.name) == ["bus"])
        }
    }

    @Test func groupsAndAggregatesTakeOthersForNil() throws {
        try inEveryState { context in
            let sums: [(Int, Int64)] = try context.fetch(Vehicle.all.select { (.count, .sum($0.as(Car.self).doors)) })
            #expect(sums.map(\.0) == [4] && sums.map(\.1) == [9])
            let groups: [(Int16?, Int)] = try context.fetch(
                Vehicle.all.group { $0.as(Car.self).doors.optional }.order { $0.as(Car.self).doors.optional }
                    .select { ($0.as(Car.self).doors.optional, .count) })
            #expect(groups.map(\.0) == [nil, 4, 5] && groups.map(\.1) == [2, 1, 1])
            let distinct: [Int16?] = try context.fetch(
                Vehicle.order { $0.as(Car.self).doors.optional }.select { $0.as(Car.self).doors.optional }.distinct())
            #expect(distinct == [nil, 4, 5])
            let values: [(String, Int16?, String?, Int?)] = try context.fetch(
                Vehicle.order { $0.name }.select {
                    (
                        $0.name, $0.as(Car.self).doors.optional, $0.as(Car.self).driver.name.optional,
                        $0.as(Car.self).cargo.count.optional
                    )
                })
            #expect(values.map(\.1) == [nil, nil, 5, 4])
            #expect(values.map(\.2) == [nil, nil, "Ada", nil])
            #expect(values.map(\.3) == [nil, nil, 1, 0])
        }
    }

    @Test func prefetchingLoadsTheMembersOfTheEntityAlone() throws {
        try context.save()
        let fresh = ModelContext(container)
        let found = try fresh.fetch(Vehicle.order { $0.name }.prefetch { $0.as(Car.self).cargo })
        #expect(found.map(\.name) == ["boat", "bus", "car", "truck"])
        #expect((found[0] as? Boat)?.cargo.map(\.name) == ["in the boat"])
        #expect((found[2] as? Car)?.cargo.map(\.name) == ["in the car"])
    }

    // MARK: Batches

    @Test func aBatchDeletesAndUpdatesNoOthers() throws {
        try context.save()
        let cars = Vehicle.where { $0.as(Car.self).doors > 3 }
        #expect(try context.batchUpdate(cars) { $0.wheels = 6 } == 2)
        #expect(try context.fetch(Vehicle.order { $0.name }).map(\.wheels) == [4, 4, 6, 6])
        #expect(try context.batchDelete(Vehicle.where { $0.as(Truck.self).wheels > 0 }) == 1)
        #expect(try context.batchDelete(Vehicle.where { $0.as(Car.self).doors == 4 }) == 0)
        try context.delete(model: Vehicle.self, where: #Predicate { ($0 as? Car)?.doors == 5 })
        try context.save()
        #expect(try context.fetch(Vehicle.order { $0.name }).map(\.name) == ["boat", "bus"])
    }
}
