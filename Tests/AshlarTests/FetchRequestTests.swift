import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// The functions and properties that are generated for the model's fetch request templates and fetched properties.
@Suite struct FetchRequestTests {
    let context: ModelContext

    init() throws { context = try memoryContext() }

    /// The names of the objects that a request finds, both saved and unsaved.
    private func names(_ request: FetchDescriptor<Sample>) throws -> [String] {
        let found = try context.fetch(request).map(\.name).sorted()
        let all = try context.fetch(Sample.all)
        if let condition = request.condition?.expression, request.fetchLimit == nil {
            #expect(all.filter { condition.holds(for: $0) }.map(\.name).sorted() == found, "\(condition)")
        }
        return found
    }

    private func fill() throws -> (a: Sample, b: Sample, c: Sample) {
        let home = Label(name: "home")
        let a = Sample(count: 1, name: "a", title: "Zebra", home: home)
        let b = Sample(count: 2, name: "hb", price: 1.5, title: "b*z", weight: 0.5, home: home, parent: a)
        let c = Sample(
            count: 3, day: Date(timeIntervalSinceReferenceDate: 5), flag: true, name: "hc", weight: 2, parent: a)
        for sample in [a, b, c] { context.insert(sample) }
        try context.save()
        return (a, b, c)
    }

    @Test("row 22: templates") func templates() throws {
        let (a, b, c) = try fill()
        #expect(try names(Sample.everySample()) == ["a", "hb", "hc"])
        #expect(try names(Sample.counted(least: 2, names: ["a", "hb", "x"])) == ["hb"])
        #expect(Sample.counted(least: 2, names: []).fetchLimit == 3)
        #expect(try names(Sample.titledLike(pattern: "zEb?A")) == ["a", "hb", "hc"])
        #expect(try names(Sample.ofParent(parent: a, start: "ho")) == ["hb", "hc"])
        #expect(try names(Sample.withBusyChildren(least: 9)) == ["hb", "hc"])
        #expect(try names(Sample.pricedBetween(range: 1...2, total: 5)) == ["hb"])
        #expect(!Sample.pricedBetween(range: 1...2, total: 5).includePendingChanges)
        #expect(try names(Sample.literals()).isEmpty)
        #expect(try names(Sample.computed(twice: 7, text: "hc")) == ["hc"])
        #expect(try names(Sample.onSameDay(other: c, homes: [])).isEmpty)
        let home = try #require(a.home)
        b.day = c.day
        #expect(try names(Sample.onSameDay(other: c, homes: [home])) == ["hb"])
        let literal = Sample(
            count: 1, day: Date(timeIntervalSinceReferenceDate: 0), link: URL(string: "a:b"), name: "a'b", price: 1.5,
            token: UUID(uuidString: "00000000-0000-0000-0000-0000000000FF"), weight: 1.5)
        context.insert(literal)
        #expect(try names(Sample.literals()) == ["a'b"])
        try context.save()
        #expect(try names(Sample.literals()) == ["a'b"])
    }

    @Test("rows 102, 123, 154: hierarchies") func hierarchies() throws {
        let car = Car(name: "car")
        let truck = Truck(name: "truck", load: 1)
        let boat = Boat(name: "boat")
        car.cargo.append(Crate())
        for vehicle in [car, truck, boat] as [Vehicle] { context.insert(vehicle) }
        for _ in 0..<2 {
            #expect(try context.fetch(Vehicle.onlyVehicles(request: "x")).isEmpty)
            #expect(Set(try context.fetch(Vehicle.carsWithCargo(boat: boat)).map(\.name)) == ["car", "boat"])
            var cars = FetchDescriptor<Car>()
            #expect(try context.fetchCount(cars) == 2)
            cars.includesSubentities = false
            #expect(try context.fetch(cars).map(\.name) == ["car"])
            #expect(try context.fetchCount(Vehicle.where { $0.is(Car.self) }) == 2)
            #expect(try context.fetchCount(Vehicle.where { !$0.is(Car.self) }) == 1)
            #expect(try context.fetchCount(Vehicle.where { $0.as(Car.self).cargo.count == 1 }) == 1)
            try context.save()
        }
    }

    @Test func orderedRelationships() throws {
        let playlist = Playlist(name: "")
        context.insert(playlist)
        let names = ["one", "two", "three"]
        for name in names {
            let song = Song(name: name)
            playlist.songs.append(song)
        }
        for _ in 0..<2 {
            #expect(try context.fetchCount(Playlist.playlistsStartingWith(name: "one")) == 1)
            #expect(try context.fetchCount(Playlist.playlistsStartingWith(name: "two")) == 0)
            try context.save()
        }
    }

    @Test("row 21: fetched properties") func fetchedProperties() throws {
        let (a, b, c) = try fill()
        #expect(try b.siblings == [c] && c.siblings == [b])
        #expect(try a.siblings.isEmpty)
        #expect(try Set(a.homeMates.map(\.name)) == ["hb"])
        #expect(try b.cousins.isEmpty)
        let d = Sample(count: 2, name: "hd", home: a.home, parent: b)
        context.insert(d)
        #expect(try b.cousins == [d])
        #expect(try Set(a.homeMates.map(\.name)) == ["hb", "hd"])
        #expect(try Sample().siblings.isEmpty)
    }
}
