import Ashlar
import AshlarImport
import Foundation
import Testing

/// Stores in which Core Data renamed an entity in place: the list of entities has the old name, the hashes have the new one.
@Suite struct RenamedEntityTests {
    private static let older: [(name: String, parent: Int)] = [
        ("Vehicle", 0), ("Car", 1), ("ExpensiveCar", 2), ("QuickCar", 2),
    ]
    private static let names = ["Vehicle", "Car", "LuxuryCar", "RacingCar"]
    private static let rows: [[String?]] = [
        [nil, "Vehicle", nil, nil, nil], ["Car", "Car", "4", nil, nil],
        ["LuxuryCar", "ExpensiveCar", "4", "1.5", nil], ["RacingCar", "QuickCar", "4", nil, "2.5"],
    ]

    private static func entities(_ luxury: String, _ racing: String) -> String {
        GarageStore.carEntities + luxury + racing
    }

    @Test("renaming identifiers tell two entities apart") func identifiers() throws {
        let garage = try GarageStore(versions: [
            Self.entities(
                GarageStore.car("LuxuryCar", was: "ExpensiveCar", "price"),
                GarageStore.car("RacingCar", was: "QuickCar", "speed"))
        ])
        try garage.write(Self.older, hashes: Self.names)
        #expect(try garage.importStore() == Self.rows)
    }

    @Test("identifiers lead through the versions between") func identifiersOfEarlierVersions() throws {
        let garage = try GarageStore(versions: [
            Self.entities(
                GarageStore.car("CostlyCar", was: "ExpensiveCar", "price"),
                GarageStore.car("FastCar", was: "QuickCar", "speed")),
            Self.entities(
                GarageStore.car("LuxuryCar", was: "CostlyCar", "price"),
                GarageStore.car("RacingCar", was: "FastCar", "speed")),
        ])
        try garage.write(Self.older, hashes: Self.names)
        #expect(try garage.importStore() == Self.rows)
    }

    @Test("without identifiers the only entity that is left is the one") func theOnlyOne() throws {
        let garage = try GarageStore(versions: [
            Self.entities(GarageStore.car("LuxuryCar", "price"), GarageStore.car("QuickCar", "speed"))
        ])
        try garage.write(Self.older, hashes: ["Vehicle", "Car", "LuxuryCar", "QuickCar"])
        var rows = Self.rows
        rows[3][0] = "QuickCar"
        #expect(try garage.importStore() == rows)
    }

    @Test("two without identifiers, and names without hashes, are refused") func refusals() throws {
        let entities = Self.entities(GarageStore.car("LuxuryCar", "price"), GarageStore.car("RacingCar", "speed"))
        for hashes in [Self.names, [], ["Vehicle", "Car", "ExpensiveCar", "QuickCar"]] {
            let garage = try GarageStore(versions: [entities])
            try garage.write(Self.older, hashes: hashes)
            #expect {
                try garage.importStore()
            } throws: {
                ($0 as? ImportError)?.code == .unknownVersion
            }
            #expect(try garage.folder.names() == ["Garage.sqlite", "Garage.xcdatamodeld"])
        }
    }
}
