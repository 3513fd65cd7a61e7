import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

extension Dish {
    enum Kind: String, Codable { case soup, stew }
    enum Spice: Int16, Codable { case none, mild, hot }
}

/// Defaults of attributes with the program's own value types.
@Suite struct AttributeDefaultTests {
    @Test func whatHasADefaultMayBeLeftOut() throws {
        let container = try memoryContainer(KitchenModel.self)
        let context = ModelContext(container)
        let dish = Dish(title: "A")
        #expect(dish.spice == .mild)
        #expect(dish.kind == .soup)
        #expect(dish.tags == ["new", "a'b"])
        #expect(dish.origin == Origin(kind: .stew))
        context.insert(dish)
        context.insert(Dish(kind: nil, origin: Origin(kind: .soup), spice: .hot, tags: [], title: "B"))
        try context.save()
        #expect(try context.batchInsert(contentsOf: [Dish.Values(title: "C")]) == 1)
        let found = try ModelContext(container).fetch(Dish.order { $0.title.ascending })
        #expect(found.map(\.spice) == [.mild, .hot, .mild])
        #expect(found.map(\.kind) == [.soup, nil, .soup])
        #expect(found.map(\.tags) == [["new", "a'b"], [], ["new", "a'b"]])
        #expect(found.map(\.origin.kind) == [.stew, .soup, .stew])
    }

    /// Rows that another program inserts without values get the same defaults.
    @Test func rowsOfOtherProgramsHaveTheDefaults() throws {
        let context = ModelContext(try memoryContainer(KitchenModel.self))
        try context.container.execute("INSERT INTO \"Dish\" (\"title\", \"origin$kind\") VALUES ('A', 'soup')")
        let dish = try #require(try context.fetch(Dish.all).first)
        #expect(dish.spice == .mild)
        #expect(dish.tags == ["new", "a'b"])
    }

    @Test func aDefaultThatIsNoValueIsAnErrorOfOpening() throws {
        #expect {
            _ = try memoryContainer(MisprintModel.self)
        } throws: { error in
            guard case StoreError.invalidDefault("Leaflet", "spice", "9", _) = error else { return false }
            return "\(error)".contains("Leaflet.spice")
        }
    }

    @Test func jsonThatIsNoValueIsFound() {
        #expect(AttributeCoding.jsonText([String].self, default: "[\"a\"]").invalidDefault == nil)
        #expect(AttributeCoding.jsonText([String].self, default: "[1]").invalidDefault?.value == "[1]")
        #expect(AttributeCoding.rawValue(Dish.Kind.self, default: "soup").invalidDefault == nil)
        #expect(AttributeCoding.rawValue(Dish.Kind.self, default: "Soup").invalidDefault?.value == "Soup")
    }
}
