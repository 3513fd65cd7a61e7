import Ashlar
import Foundation
import Testing

@testable import AshlarTesting

/// Stores of older versions, and the values that are legal in them.
@Suite struct OlderStoreTests {
    @Test func twoLinesAreATest() throws {
        let store = try OlderStore(of: GardenModel.self, modelAt: Garden.path, version: "Garden 2")
        let container = try store.migrated(with: GardenMigrations.self, changing: Garden.changing)
        let context = ModelContext(container)
        let plants = try context.fetch(Plant.all)
        #expect(plants.count == 60)
        #expect(plants.allSatisfy { $0.sizeClass == ($0.size > 15 ? "large" : "small") })
        #expect(try context.fetch(Bed.all).allSatisfy { $0.soil != "" })
    }

    @Test func theSameSeedGivesTheSameObjects() throws {
        let contents = try Garden.store("Garden", seed: 4).contents()
        #expect(try Garden.store("Garden", seed: 4).contents() == contents)
        #expect(try Garden.store("Garden", seed: 5).contents() != contents)
    }

    /// The objects of the current version pass the validation that each save does.
    @Test(arguments: [1, 2, 3]) func allObjectsAreLegal(_ seed: UInt64) throws {
        let store = try Garden.store("Garden 4", seed: seed)
        let context = ModelContext(try ModelContainer(for: GardenModel.self, at: store.url))
        var count = 0
        for plant in try context.fetch(Plant.all) {
            plant.name = plant.name
            count += 1
        }
        for bed in try context.fetch(Bed.all) { bed.title = bed.title }
        for shed in try context.fetch(Shed.all) {
            shed.number = shed.number
            #expect(shed.owner != nil)
        }
        for keeper in try context.fetch(Keeper.all) { keeper.name = keeper.name }
        #expect(context.hasChanges && count >= 60)
        try context.save()
    }

    /// A filled store has every legal case: nil and values, links and orders.
    @Test func whatMayBeSometimesIs() throws {
        let contents = try Garden.store("Garden").contents()
        func objects(_ entity: String) -> [StoreContents.Object] { contents.objects.filter { $0.entityName == entity } }
        for (entity, name) in [("Plant", "remark"), ("Plant", "place"), ("Plant", "palette"), ("Gardener", "mark")] {
            let values = objects(entity).map { $0.values[name] }
            #expect(values.contains(.null) && Set(values).count > 1, "\(entity).\(name)")
        }
        #expect(objects("Bed").contains { $0.links["plants"].map { $0.targets.count > 1 && $0.isOrdered } == true })
        #expect(objects("Bed").contains { ($0.links["neighbours"]?.targets.count ?? 0) > 1 })
        #expect(objects("Bed").allSatisfy { ($0.links["neighbours"]?.targets.count ?? 0) <= 3 })
        #expect(objects("Shed").allSatisfy { $0.links["owner"]?.targets.count == 1 })
        #expect(objects("Gardener").allSatisfy { ($0.links["shed"]?.targets.count ?? 0) <= 1 })
        #expect(objects("Plant").count == 20 && objects("Tree").count == 20)
    }

    @Test func constraintsLeaveFewerObjects() throws {
        let store = try OlderStore(
            of: GardenModel.self, modelAt: Garden.path, version: "Garden 2", objectsPerEntity: 5, seed: 1,
            values: ["Shed.number": [.integer(1), .integer(2)]])
        let sheds = try store.contents().objects.filter { $0.entityName == "Shed" }
        #expect(Set(sheds.map { $0.values["number"] }) == [.integer(1), .integer(2)] && sheds.count == 2)
    }

    // MARK: Types of the program's own

    /// The values that enumerations, JSON and transformers allow are legal in every version, also under a former name.
    @Test(arguments: ["Garden", "Garden 2", "Garden 3", "Garden 4"])
    func whatTypesOfTheProgramAllow(_ version: String) throws {
        let store = try Garden.store(version)
        let sheds = try store.contents().objects.filter { $0.entityName == "Shed" }
        let name = version == "Garden 4" ? "material" : "stuff"
        #expect(Set(sheds.map { $0.values[name] }) == [.text("wood"), .text("stone")])
        #expect(Set(sheds.map { $0.values["condition"] }) == [.integer(3), .integer(7)])
        let migrated = try store.migrated(with: GardenMigrations.self, changing: Garden.changing)
        let context = ModelContext(migrated)
        let layouts = try context.fetch(Shed.all).map(\.layout)
        #expect(Set(layouts.map(\.roof)) == [.flat, .pitched])
        #expect(layouts.allSatisfy { $0.shelves[0].planks.count == 2 && $0.tools.count == 1 && $0.area > 0 })
        #expect(try context.fetch(Shed.all).allSatisfy { $0.marks.count == 2 && $0.marks[0].hasPrefix("text") })
    }

    @Test func valuesOfWhatDoesNotListThem() throws {
        enum Unlisted: String, Codable { case only }
        struct Holder: Codable { var unlisted: Unlisted }
        struct Endless: Codable {
            indirect enum Next: Codable { case next(Endless) }
            var next: Next
        }
        #expect(SampleDecoder.samples(of: Holder.self).isEmpty)
        #expect(SampleDecoder.samples(of: Endless.self).isEmpty)
        #expect(SampleDecoder.samples(of: [Int: [Set<Bool>]].self).count == 3)
        let error = MigrationTestError.noLegalValue(
            property: "Shed.condition", version: "Garden", reason: "its type in the program does not list its values")
        #expect(error.description.contains("values: [\"Shed.condition\": […]]"))
    }

    // MARK: Fixtures

    @Test func aFixtureStaysAsItIs() throws {
        let original = try Garden.store("Garden 2", seed: 9)
        let before = try Data(contentsOf: original.url)
        let store = try OlderStore(copying: original.url.path, of: GardenModel.self, modelAt: Garden.path)
        #expect(store.versionName == "Garden 2" && store.seed == nil && store.url != original.url)
        _ = try store.migrated(with: GardenMigrations.self, changing: Garden.changing)
        #expect(try Data(contentsOf: original.url) == before)
        #expect(try ModelContainer.metadata(ofStoreAt: store.url).versionName == "Garden 2")
        #expect {
            _ = try store.migrated()
        } throws: {
            "\($0)".hasPrefix("Garden 2 → Garden 4, the store \(original.url.path):")
        }
    }

    // MARK: Mistakes

    @Test func mistakesAreErrors() throws {
        func error(_ path: String = Garden.path, _ version: String = "Garden") -> String {
            do {
                _ = try OlderStore(of: GardenModel.self, modelAt: path, version: version)
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(
            error(Garden.path, "Garden 5") == """
                Garden has no version 'Garden 5' in the program. Its versions are Garden, Garden 2, Garden 3, Garden 4.
                """)
        #expect(error("Models/Nothing.xcdatamodeld").contains("There is no data model at this path"))
        #expect(error("Models/PhotoFeed.xcdatamodeld").contains("it has no version Garden"))
        let path = "Tests/CustomMigrationTests/Models/Workshop.xcdatamodeld"
        #expect(error(path).contains("is not the model that the program's Garden was made from"))
    }
}
