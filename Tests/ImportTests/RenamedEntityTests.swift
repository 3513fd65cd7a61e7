import AshlarImport
import Foundation
import Testing

@testable import Ashlar

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

    @Test("the model that the store keeps tells them apart", arguments: [false, true])
    func theModelOfTheStore(_ isCompressed: Bool) throws {
        let garage = try GarageStore(versions: [
            Self.entities(GarageStore.car("LuxuryCar", "price"), GarageStore.car("RacingCar", "speed"))
        ])
        try garage.write(Self.older, hashes: Self.names)
        let model = Self.model([("Vehicle", "Vehicle"), ("LuxuryCar", "ExpensiveCar"), ("RacingCar", "QuickCar")])
        try garage.keep(isCompressed ? Self.stored(model) : model)
        #expect(try garage.importStore() == Self.rows)
    }

    @Test("a model of the store that cannot be read, or says nothing, is none") func noModelOfTheStore() throws {
        let entities = Self.entities(GarageStore.car("LuxuryCar", "price"), GarageStore.car("RacingCar", "speed"))
        for model in [Data("bplist00".utf8), Data([7, 7, 7]), Data(), Self.model([("LuxuryCar", "Other")])] {
            let garage = try GarageStore(versions: [entities])
            try garage.write(Self.older, hashes: Self.names)
            try garage.keep(model)
            #expect {
                try garage.importStore()
            } throws: {
                ($0 as? ImportError)?.code == .unknownVersion
            }
        }
    }

    /// A keyed archive of entities with their renaming identifiers.
    private static func model(_ entities: [(name: String, former: String)]) -> Data {
        var list = BinaryPropertyListWriter()
        var objects = [list.add("$null")]
        func append(_ object: BinaryPropertyList.Object) -> Int {
            objects.append(list.add(object))
            return objects.count - 1
        }
        let kind = append(.dictionary([(list.add("$classname"), list.add("NSEntityDescription"))]))
        for entity in entities {
            _ = append(
                .dictionary([
                    (list.add("$class"), list.add(.uid(kind))), (list.add("NSEntityName"), list.add(entity.name)),
                    (list.add("NSRenamingIdentifier"), list.add(entity.former)),
                ]))
        }
        let root = list.add(.dictionary([(list.add("$objects"), list.add(.array(objects)))]))
        return list.data(root: root)
    }

    /// Data in the form of RFC 1951, in one block that is not compressed.
    private static func stored(_ data: Data) -> Data {
        let length = UInt16(data.count)
        let header = [length, ~length].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        return Data([1] + header) + data
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
