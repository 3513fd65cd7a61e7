import Foundation
import Testing

@testable import Ashlar

/// Raw values that a newer program wrote, where the model names a case for them.
@Suite struct UnknownValueTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        container = try memoryContainer(StudioModel.self)
        let writer = ModelContext(container)
        let supply = Supply(kind: .wood, name: "s")
        for name in ["a", "b"] {
            let material = Material(
                finish: Finish(gloss: .glossy), grain: .fine, kind: .wood, name: name, supply: supply)
            writer.insert(material)
        }
        try writer.save()
        try container.execute(
            "UPDATE Material SET kind = 'stone', grain = 99, \"finish$gloss\" = 7 WHERE name = 'b'")
        context = ModelContext(container)
    }

    private func row() throws -> String? {
        try container.text("SELECT kind || ' ' || grain || ' ' || \"finish$gloss\" FROM Material WHERE \"id$\" = 2")
    }

    private var sorted: FetchDescriptor<Material> { Material.order { $0.name.ascending } }

    @Test("row 37: an unknown raw value is the case that the model names") func isTheCaseThatTheModelNames() throws {
        let all = try context.fetch(sorted)
        #expect(all.map(\.kind) == [.wood, .other] && all.map(\.grain) == [.fine, .default])
        #expect(all.map(\.finish?.gloss) == [.glossy, .matte])
        let values = try context.fetchValues(sorted)
        #expect(values.map(\.kind) == [.wood, .other] && values.map(\.finish?.gloss) == [.glossy, .matte])
        #expect(try context.fetch(sorted.select { $0.kind }) == [.wood, .other])
        #expect(try context.fetch(sorted.select { $0.grain }) == [.fine, .default])
        #expect(try context.fetch(sorted.select { $0.finish.gloss }) == [.glossy, .matte])
        let supply = try #require(try context.fetch(Supply.all).first)
        #expect(Set(supply.materials.map(\.kind)) == [.wood, .other])
        #expect(context.invalidValues.isEmpty)
    }

    /// What nobody sets stays in the store as it is.
    @Test func savesKeepTheRawValue() throws {
        let before = try row()
        #expect(before == "stone 99 7")
        let material = try context.fetch(sorted)[1]
        material.name = "c"
        material.finish?.coats = 2
        // The same again is no change.
        material.kind = .other
        try context.save()
        #expect(try row() == before)
        let child = ModelContext(parent: context)
        let twin: Material = try child.model(for: material.persistentModelID)
        #expect(twin.kind == .other)
        twin.name = "d"
        try child.save()
        try context.save()
        #expect(try row() == before)
        _ = try context.batchUpdate(Material.all) { $0.name = "e" }
        #expect(try row() == before)
        // What somebody sets is there.
        material.kind = .metal
        material.finish?.gloss = .glossy
        try context.save()
        #expect(try row() == "metal 99 1")
    }

    /// A property-by-property merge writes what was changed alone.
    @Test func mergesKeepTheRawValue() throws {
        context.mergePolicy = .mergeByPropertyObjectTrump
        let material = try context.fetch(sorted)[1]
        let other = ModelContext(container)
        let twin: Material = try other.model(for: material.persistentModelID)
        twin.strict = .metal
        try other.save()
        material.name = "c"
        try context.save()
        #expect(try row() == "stone 99 7" && material.strict == .metal)
    }
}
