import Foundation
import Testing

@testable import Ashlar

/// The cost of a child's save, and the values that the store converts.
@Suite struct ChildSavingTests {
    private func everything(_ number: Int, _ palette: [PaletteTransformer.Color] = []) -> Everything {
        Everything(
            address: Address(street: "", numbers: []), binary: Data(), boolean: false,
            date: Date(timeIntervalSinceReferenceDate: 0), decimal: 0, double: 0, float: 0, integer16: 0,
            integer32: 0, integer64: Int64(number), level: .low, mood: .calm, palette: palette, string: "",
            uri: URL(fileURLWithPath: "/"), uuid: UUID())
    }

    private func prepared(_ count: Int) throws -> (parent: ModelContext, objects: [Everything]) {
        let parent = try memoryContext()
        let objects = (0..<count).map { everything($0) }
        for object in objects { parent.insert(object) }
        try parent.save()
        return (parent, objects)
    }

    /// Values that the store returns unchanged need no statement, however many objects have them.
    @Test(arguments: [1, 500]) func noStatementForPlainValues(_ count: Int) throws {
        let (parent, objects) = try prepared(count)
        let child = ModelContext(parent: parent)
        let copies = try child.fetch(Everything.order { $0.integer64.ascending })
        for copy in copies {
            copy.string += "changed"
            copy.double = 0.5
            copy.optionalFloat = 0.1
            copy.optionalDate = Date(timeIntervalSinceReferenceDate: 1 / 3)
            copy.optionalUuid = copy.uuid
        }
        (parent.statementCount, child.statementCount) = (0, 0)
        try child.save()
        #expect(parent.statementCount == 0 && child.statementCount == 0)
        #expect(objects.map(\.values) == copies.map(\.values) && objects.allSatisfy { $0.string == "changed" })
        #expect(parent.changedModelsArray.count == count && !child.hasChanges)
        try parent.save()
        let read = try ModelContext(parent.container).fetch(Everything.order { $0.integer64.ascending })
        #expect(read.map(\.values) == objects.map(\.values))
    }

    /// Objects that the parent has released meanwhile are loaded again in few statements.
    @Test(arguments: [2, 500]) func fewStatementsForWhatTheParentHasNot(_ count: Int) throws {
        let parent = try memoryContext()
        do {
            let writer = ModelContext(parent.container)
            for number in 0..<count { writer.insert(everything(number)) }
            try writer.save()
        }
        let child = ModelContext(parent: parent)
        for copy in try child.fetch(Everything.all) { copy.integer32 = 7 }
        parent.registry.map(for: Everything._ashlarEntity.number.root).sweep()
        #expect(parent.registry.objects.isEmpty)
        parent.statementCount = 0
        try child.save()
        #expect(parent.statementCount == 1)
        #expect(parent.changedModelsArray.count == count)
        #expect(parent.registry.objects.allSatisfy { ($0 as? Everything)?.integer32 == 7 })
    }

    /// Only values that differ from the parent's are changes of the parent's object.
    @Test func onlyWhatDiffersChangesTheParent() throws {
        let (parent, objects) = try prepared(1)
        let child = ModelContext(parent: parent)
        let copy: Everything = try child.model(for: objects[0].persistentModelID)
        copy.string = "same"
        copy.integer32 = 1
        objects[0].string = "same"
        objects[0].integer16 = 9
        try parent.save()
        try child.save()
        #expect(objects[0].changedProperties == ["integer32"] && objects[0].integer16 == 9)
    }

    /// If the parent's object still has the value that the child read, the child's save passes on the new value
    /// together with the original one. The two contexts share both, but each changes and rolls back its own.
    @Test(arguments: [false, true]) func whatWasBeforeIsShared(_ isUndone: Bool) throws {
        let (parent, objects) = try prepared(3)
        if isUndone { parent.undoManager = ModelUndoManager() }
        let child = ModelContext(parent: parent)
        let copies = try child.fetch(Everything.order { $0.integer64.ascending })
        for copy in copies { copy.integer32 = 1 }
        // The parent's own changes: one of the same property, which an undo restores, and one of another, which stays.
        objects[1].integer32 = 5
        objects[2].integer16 = 7
        parent.processPendingChanges()
        try child.save()
        parent.processPendingChanges()
        #expect(objects.map(\.integer32) == [1, 1, 1] && objects[2].integer16 == 7)
        #expect(objects.allSatisfy { $0.changedProperties.contains("integer32") })
        copies[0].integer32 = 2
        #expect(objects[0].integer32 == 1)
        child.rollback()
        #expect(copies[0].integer32 == 1)
        copies[0].integer32 = 3
        try child.save()
        #expect(objects[0].integer32 == 3)
        if isUndone {
            parent.processPendingChanges()
            parent.undoManager?.undo()
            #expect(objects[0].integer32 == 1)
            parent.undoManager?.undo()
            #expect(objects.map(\.integer32) == [0, 5, 0] && objects[2].integer16 == 7)
        }
        parent.rollback()
        #expect(objects.map(\.integer32) == [0, 0, 0] && objects[2].integer16 == 0 && !parent.hasChanges)
    }

    /// A rollback restores the value that the parent saved after the child read the object.
    @Test func whatWasSavedMeanwhileComesBack() throws {
        let (parent, objects) = try prepared(1)
        let child = ModelContext(parent: parent)
        let copy: Everything = try child.model(for: objects[0].persistentModelID)
        copy.integer32 = 1
        objects[0].integer32 = 5
        try parent.save()
        try child.save()
        #expect(objects[0].integer32 == 1)
        parent.rollback()
        #expect(objects[0].integer32 == 5 && !parent.hasChanges)
    }

    /// A value that cannot be stored fails only the save of the context that set it.
    @Test func whatCannotBeStored() throws {
        let (parent, objects) = try prepared(2)
        let child = ModelContext(parent: parent)
        objects[0].palette = [PaletteTransformer.unstorable]
        let copy: Everything = try child.model(for: objects[0].persistentModelID)
        copy.string = "changed"
        try child.save()
        #expect(objects[0].string == "changed")
        #expect { try parent.save() } throws: { if case SaveError.conversion = $0 { true } else { false } }
        let other: Everything = try child.model(for: objects[1].persistentModelID)
        other.palette = [PaletteTransformer.unstorable]
        #expect { try child.save() } throws: { if case SaveError.conversion = $0 { true } else { false } }
        #expect(objects[1].palette.isEmpty)
    }

    /// If the store converts a value, the parent already has the converted value.
    @Test func convertedValuesAreTheStores() throws {
        let (parent, objects) = try prepared(1)
        let child = ModelContext(parent: parent)
        let copy: Everything = try child.model(for: objects[0].persistentModelID)
        copy.address = Address(street: "s", numbers: [1, 2])
        copy.decimal = Decimal(1) / 3
        copy.uri = try #require(URL(string: "https://example.org/a"))
        copy.optionalString = "text"
        try child.save()
        try parent.save()
        let read = try #require(try ModelContext(parent.container).fetch(Everything.all).first)
        #expect(read.values == objects[0].values && read.address.numbers == [1, 2] && read.optionalString == "text")
    }

    /// A child sees an unsaved member of its parent's object, and can remove it and add it again.
    @Test(arguments: [1, 2, 3]) func membersThatWereNeverSavedLeave(_ steps: Int) throws {
        let parent = try memoryContext()
        let person = Person(name: "p", labels: [Label(name: "a"), Label(name: "b")])
        parent.insert(person)
        let child = ModelContext(parent: parent)
        let twin = try #require(try child.fetch(Person.all).first)
        let label = try #require(twin.labels.first { $0.name == "a" })
        for step in 1...steps {
            if step % 2 == 1 { twin.labels.remove(label) } else { twin.labels.append(label) }
        }
        try child.save()
        #expect(Set(person.labels.map(\.name)) == (steps % 2 == 1 ? ["b"] : ["a", "b"]))
        try parent.save()
        let reading = ModelContext(parent.container)
        let saved = try #require(try reading.fetch(Person.all).first)
        #expect(Set(saved.labels.map(\.name)) == (steps % 2 == 1 ? ["b"] : ["a", "b"]))
    }
}
