import Foundation
import Testing

@testable import Ashlar

/// Raw values of a newer program that the model maps to a case for unknown values.
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

    /// Values that are not set stay in the store as they are.
    @Test func savesKeepTheRawValue() throws {
        let before = try row()
        #expect(before == "stone 99 7")
        let material = try context.fetch(sorted)[1]
        material.name = "c"
        material.finish?.coats = 2
        // Setting the same value again is not a change.
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
        // Values that are set are stored.
        material.kind = .metal
        material.finish?.gloss = .glossy
        try context.save()
        #expect(try row() == "metal 99 1")
    }

    /// A property-by-property merge writes the changed properties alone.
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

    /// The object only has the case for unknown values, and the row has had another value since the save.
    @Test(arguments: [0, 1, 2]) func anUndoRestoresTheRawValue(_ depth: Int) throws {
        var contexts = [context]
        for _ in 0..<depth { contexts.append(ModelContext(parent: contexts[contexts.count - 1])) }
        func save() throws { for context in contexts.reversed() { try context.save() } }
        let undoManager = ModelUndoManager()
        contexts[depth].undoManager = undoManager
        let material = try contexts[depth].fetch(sorted)[1]
        material.kind = .metal
        material.finish?.gloss = .glossy
        try save()
        #expect(try row() == "metal 99 1")
        for _ in 0..<2 {
            undoManager.undo()
            #expect(material.kind == .other)
            try save()
            #expect(try row() == "stone 99 7")
            undoManager.redo()
            try save()
            #expect(try row() == "metal 99 1")
        }
        undoManager.undo()
        material.kind = .wood
        try save()
        #expect(try row() == "wood 99 7")
        #expect(try contexts[depth].fetch(sorted).map(\.kind) == [.wood, .wood])
    }

    @Test func anUndoAfterAnUndoThatWasNotSavedRestoresTheRawValue() throws {
        let undoManager = ModelUndoManager()
        context.undoManager = undoManager
        let material = try context.fetch(sorted)[1]
        material.kind = .metal
        try context.save()
        undoManager.undo()
        material.kind = .wood
        try context.save()
        undoManager.undo()
        try context.save()
        #expect(try row() == "stone 99 7")
        material.kind = .metal
        try context.save()
        undoManager.undo()
        try context.refresh(material, mergeChanges: false)
        material.kind = .other
        try context.save()
        #expect(try row() == "other 99 7")
    }

    @Test func aRowThatCannotBeReadFailsEachFetchBesideChanges() throws {
        let supply = try #require(try context.fetch(Supply.all).first)
        let part = Supply(kind: .wood, name: "part")
        context.insert(part)
        part.whole = supply
        try context.save()
        try container.execute("UPDATE Supply SET kind = 'glass' WHERE name = 'part'")
        let context = ModelContext(container)
        try #require(try context.fetch(Supply.where { $0.name == "s" }).first).name = "changed"
        let found = Supply.where { $0.whole.name == "changed" }
        for _ in 0..<2 {
            #expect(throws: StoreError.self) { try context.fetch(found) }
            #expect(throws: StoreError.self) { try context.fetchCount(found) }
        }
    }

    @Test(arguments: [true, false]) func anUndoneDeletionRestoresTheRawValue(_ isJoined: Bool) throws {
        let undoManager = ModelUndoManager()
        context.undoManager = undoManager
        let material = try context.fetch(sorted)[1]
        if isJoined { undoManager.beginUndoGrouping() }
        material.grain = .fine
        try context.save()
        context.delete(material)
        try context.save()
        if isJoined { undoManager.endUndoGrouping() }
        while undoManager.canUndo { undoManager.undo() }
        try context.save()
        let stored = try container.text(
            "SELECT kind || ' ' || grain || ' ' || \"finish$gloss\" FROM Material WHERE name = 'b'")
        #expect(stored == "stone 99 7")
    }
}
