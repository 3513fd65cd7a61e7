import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// Values of types that a model names, and rows with values that do not fit.
@Suite struct InvalidValueTests {
    private let context: ModelContext

    init() throws {
        context = ModelContext(try memoryContainer(AtticModel.self))
    }

    private func fill() throws {
        for index in 1...3 {
            let item = Item(counts: [Int64(index)], name: "item \(index)")
            item.tags = ["sea", "sky"]
            item.token = UUID()
            item.address = Address(street: "Main Street", numbers: [index])
            context.insert(item)
        }
        try context.save()
    }

    private func names(_ items: [Item]) -> [String] { items.map(\.name).sorted() }

    @Test func archivedValuesComeBack() throws {
        let item = Item(counts: [1, -2, .max], name: "a")
        item.tags = ["x", "Grüße"]
        item.details = ["title": "Sunset", "likes": 3, "none": nil]
        item.list = [1, "two", [3.5, true]]
        item.prices = ["tea": 2.5, "milk": 1]
        item.link = URL(string: "https://example.org")
        item.place = Data([1, 2, 3])
        item.colors = [PaletteTransformer.Color(red: 1, green: 2, blue: 4)]
        item.address = Address(street: "Main Street", numbers: [1, 2])
        context.insert(item)
        try context.save()
        let read = try #require(try context.fetched(Item.self).first)
        #expect(read.values == item.values)
        #expect(read.details?["title"]?.string == "Sunset")
        #expect(item.mood == .calm)
        // The text is JSON, which a shell can read.
        #expect(try context.container.text("SELECT json_extract(address, '$.street') FROM Item") == "Main Street")
        #expect(try context.container.text("SELECT hex(substr(tags, 1, 8)) FROM Item") == "62706C6973743030")
    }

    /// Values that do not fit, in every column that can hold one: the other objects load, and the error names the
    /// place.
    @Test(arguments: [
        ("tags", "X'00'"), ("token", "X'000102030405060708090A0B0C0D0E'"), ("address", "'{\"street\": 1}'"),
        ("mood", "'bored'"), ("colors", "X'0102'"), ("details", "CAST('bplist00' AS BLOB)"),
        ("photo", "CAST('ashlar$file:6F1B2C3D-4E5F-4071-8293-A4B5C6D7E8F9' AS BLOB)"),
    ])
    func anOptionalValueThatDoesNotFit(_ column: String, _ sql: String) throws {
        try fill()
        let container = context.container
        try container.execute("UPDATE Item SET \"\(column)\" = \(sql) WHERE name = 'item 2'")
        let other = ModelContext(container)
        // Only the call that finds the value throws the error.
        #expect { try other.fetch(Item.all) } throws: { error in
            if case StoreError.invalidValue("Item", column, 2, _) = error { true } else { false }
        }
        #expect(try other.fetchCount(Item.all) == 3)
        let items = try other.fetch(Item.all)
        #expect(names(items) == ["item 1", "item 2", "item 3"])
        let item = try #require(items.first { $0.name == "item 2" })
        let invalid = try #require(other.invalidValues.first)
        #expect(other.invalidValues.count == 1)
        #expect(invalid.entity == "Item" && invalid.property == column && invalid.identifier == item.persistentModelID)
        // A save leaves the invalid value as it is if the property was not set.
        let bytes = try container.text("SELECT hex(\"\(column)\") FROM Item WHERE name = 'item 2'")
        item.name = "changed"
        try other.save()
        #expect(try container.text("SELECT hex(\"\(column)\") FROM Item WHERE name = 'changed'") == bytes)
        #expect(throws: StoreError.self) { try other.fetchValues(Item.all) }
    }

    @Test func aValueThatIsSetReplacesTheInvalidOne() throws {
        try fill()
        try context.container.execute("UPDATE Item SET tags = X'00', mood = 'bored' WHERE name = 'item 1'")
        let other = ModelContext(context.container)
        #expect(throws: StoreError.self) { try other.fetch(Item.where { $0.name == "item 1" }) }
        let item = try #require(try other.fetch(Item.where { $0.name == "item 1" }).first)
        #expect(other.invalidValues.map(\.property) == ["mood", "tags"])
        item.tags = ["new"]
        item.mood = .calm
        try other.save()
        #expect(other.invalidValues.isEmpty)
        let read = try #require(try context.fetched(Item.self).first { $0.name == "item 1" })
        #expect(read.tags == ["new"] && read.mood == .calm)
    }

    /// A required value has no substitute.
    @Test func aRequiredValueThatDoesNotFit() throws {
        try fill()
        let box = Box(label: Data([1]))
        context.insert(box)
        for item in try context.fetch(Item.all) { item.box = box }
        try context.save()
        try context.container.execute("UPDATE Item SET counts = X'00' WHERE name = 'item 2'")
        let other = ModelContext(context.container)
        // Each fetch throws, because its result would be incomplete.
        for _ in 0..<2 {
            #expect(throws: StoreError.self) { try other.fetch(Item.all) }
            #expect(try other.fetchCount(Item.all) == 3)
        }
        #expect(throws: StoreError.self) { try other.enumerate(Item.all) { _ in } }
        #expect(throws: StoreError.self) { try other.fetchValues(Item.all) }
        #expect(throws: StoreError.self) { try other.fetchFirst(Item.where { $0.name == "item 2" }) }
        let identifier = try #require(other.invalidValues.first?.identifier)
        #expect(names(try other.fetch(Item.where { !$0.isIn([identifier]) })) == ["item 1", "item 3"])
        #expect(names(try other.fetch(Item.where { $0.name != "item 2" })) == ["item 1", "item 3"])
        let fourth = ModelContext(context.container)
        let members = try #require(try fourth.fetch(Box.all).first).items
        #expect(names(Array(members)) == ["item 1", "item 3"])
        // The getter could not throw, so the next call does.
        #expect(throws: StoreError.self) { try fourth.fetchCount(Item.all) }
        #expect(try fourth.fetchCount(Item.all) == 3)
        let third = ModelContext(context.container)
        #expect { let _: Item = try third.model(for: identifier) } throws: { error in
            if case StoreError.invalidValue("Item", "counts", 2, _) = error { true } else { false }
        }
        // After a repair, the object is found again.
        try context.container.execute("UPDATE Item SET counts = (SELECT counts FROM Item WHERE name = 'item 1')")
        #expect(try other.fetch(Item.all).count == 3)
        #expect(other.invalidValues.isEmpty)
    }

    /// A getter cannot throw, so it leaves out objects whose rows cannot be read, whatever was fetched before.
    @Test(arguments: ["fresh", "after failed fetches", "held before", "loaded with others"], [false, true])
    func aGetterLeavesOutTheObjectOfARowThatCannotBeRead(_ state: String, inChild: Bool) throws {
        try fill()
        let boxes = [Box(label: Data([1])), Box(label: Data([2]))]
        for box in boxes { context.insert(box) }
        for item in try context.fetch(Item.all) { item.box = boxes[0] }
        try context.save()
        let container = context.container
        let parent = ModelContext(container)
        let reader = inChild ? ModelContext(parent: parent) : parent
        let held = try state == "held before" ? reader.fetch(Item.all) : []
        try container.execute(
            "UPDATE Item SET counts = X'00', \"version$\" = \"version$\" + 1 WHERE name = 'item 2'")
        if state == "after failed fetches" {
            for _ in 0..<2 { #expect(throws: StoreError.self) { try reader.fetch(Item.all) } }
            #expect(throws: StoreError.self) { try parent.fetch(Item.all) }
        }
        let found = try reader.fetch(Box.all)
        if state == "loaded with others" { #expect(found[1].items.isEmpty) }
        for _ in 0..<2 {
            #expect(names(Array(found[0].items)) == ["item 1", "item 3"])
            #expect(found[0].items.count == 2)
        }
        #expect(held.isEmpty || names(held) == ["item 1", "item 2", "item 3"])
    }

    /// An object whose row becomes unreadable keeps its values, and no save overwrites the row.
    @Test func anObjectWhoseRowBecomesInvalid() throws {
        try fill()
        let item = try #require(try context.fetch(Item.where { $0.name == "item 1" }).first)
        try context.container.execute(
            "UPDATE Item SET counts = X'00', \"version$\" = \"version$\" + 1 WHERE name = 'item 1'")
        for _ in 0..<2 {
            #expect(throws: StoreError.self) { try context.fetch(Item.where { $0.name == "item 1" }) }
        }
        #expect(item.counts == [1])
        #expect(context.invalidValues.map(\.property) == ["counts"])
        item.counts = [7]
        #expect(throws: (any Error).self) { try context.save() }
        #expect(try context.container.text("SELECT hex(counts) FROM Item WHERE name = 'item 1'") == "00")
    }

    /// The same, if the other program does not raise the version of the row.
    @Test func anObjectWhoseRowBecomesInvalidUnseen() throws {
        let folder = try TemporaryFolder()
        let container = try ModelContainer(for: AtticModel.self, at: folder.file())
        let context = ModelContext(container)
        let item = Item(counts: [1], name: "item")
        item.mood = .calm
        context.insert(item)
        try context.save()
        let other = try ForeignDatabase.connect(folder.file())
        try other.execute("UPDATE Item SET counts = X'00', mood = 'bored'")
        func stored() throws -> String? {
            try container.text("SELECT hex(counts) || mood || name FROM Item")
        }
        // Invalid values in columns that the save does not write are not conflicts.
        item.name = "renamed"
        try context.save()
        #expect(try stored() == "00boredrenamed")
        item.mood = .furious
        #expect(throws: (any Error).self) { try context.save() }
        item.counts = [2]
        #expect(throws: (any Error).self) { try context.save() }
        #expect(try stored() == "00boredrenamed")
    }

    /// An object that leads to unreadable rows can be deleted, and so can an unreadable row itself.
    @Test func rowsThatCannotBeReadCanBeDeleted() throws {
        let container = try memoryContainer(StudioModel.self)
        let writer = ModelContext(container)
        let supply = Supply(kind: .wood, name: "whole", parts: [Supply(kind: .wood, name: "part")])
        supply.parts[0].parts = [Supply(kind: .metal, name: "part of a part")]
        writer.insert(supply)
        writer.insert(Supply(kind: .wood, name: "alone"))
        try writer.save()
        try container.execute("UPDATE Supply SET kind = 'stone' WHERE name IN ('part', 'alone')")
        let other = ModelContext(container)
        other.delete(try #require(try other.fetch(Supply.where { $0.name == "whole" }).first))
        try other.save()
        #expect(try other.fetch(Supply.all.select { $0.name }) == ["alone"])
        #expect(try other.batchDelete(Supply.where { $0.name == "alone" }) == 1)
        #expect(try other.fetch(Supply.all).isEmpty)
        try container.expectSound()
    }

    /// An abstract entity has no objects, so a row of it is an error.
    @Test("row 3: a row of an abstract entity") func aRowOfAnAbstractEntity() throws {
        let context = try memoryContext()
        context.insert(Car(name: "car"))
        try context.save()
        try context.container.execute("INSERT INTO Vehicle (name, wheels) VALUES ('none', 4)")
        let other = ModelContext(context.container)
        for _ in 0..<2 {
            #expect { try other.fetch(Vehicle.all) } throws: { error in
                if case StoreError.invalidValue("Vehicle", _, 2, _) = error { true } else { false }
            }
        }
        #expect(try other.fetch(Car.all).count == 1)
        // No initializer that users may call creates such an object, and an object that generated code creates is not
        // saved.
        other.insert(Vehicle(_ashlarValues: Vehicle.Values(name: "v")))
        #expect(throws: ContextError.abstractEntity("Vehicle")) { try other.save() }
        #expect(!other.hasChanges)
    }
}
