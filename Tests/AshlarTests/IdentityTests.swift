import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// One object per row and context, and identifiers that stay.
@Suite struct IdentityTests {
    @Test("row 60: one object per row") func oneObjectPerRow() throws {
        let context = try memoryContext()
        let label = Label(name: "a")
        context.insert(label)
        #expect(try context.fetch(Label.all).first === label)
        try context.save()
        #expect(try context.fetch(Label.all).first === label)
        #expect(try context.model(for: label.persistentModelID) as Label === label)
        let other = ModelContext(context.container)
        let twin = try #require(try other.fetch(Label.all).first)
        #expect(twin !== label && twin.persistentModelID == label.persistentModelID)
        #expect(try other.fetch(Label.where { $0.name == "a" }).first === twin)
    }

    @Test func fetchingAgainSeesWhatAnotherContextSaved() throws {
        let context = try memoryContext()
        let label = Label(name: "old")
        context.insert(label)
        try context.save()
        let other = ModelContext(context.container)
        let twin: Label = try other.model(for: label.persistentModelID)
        twin.name = "new"
        try other.save()
        #expect(label.name == "old")
        #expect(try context.fetch(Label.all).first === label)
        #expect(label.name == "new")
        #expect(!context.hasChanges)
    }

    @Test func fetchingAgainKeepsOnesOwnChanges() throws {
        let context = try memoryContext()
        let label = Label(name: "old")
        context.insert(label)
        try context.save()
        label.name = "mine"
        let other = ModelContext(context.container)
        let twin: Label = try other.model(for: label.persistentModelID)
        twin.name = "theirs"
        try other.save()
        _ = try context.fetch(Label.all)
        #expect(label.name == "mine")
        context.rollback()
        _ = try context.fetch(Label.all)
        #expect(label.name == "theirs")
    }

    /// Both sides of a relationship agree after a fetch that finds one of them changed.
    @Test func fetchingAgainUpdatesBothSides() throws {
        let context = try memoryContext()
        let first = Owner(name: "first")
        let second = Owner(name: "second")
        let item = Nullified(name: "item", owner: first)
        for object in [first, second] { context.insert(object) }
        try context.save()
        #expect(first.nullified.count == 1 && second.nullified.isEmpty)
        let other = ModelContext(context.container)
        let twin: Nullified = try other.model(for: item.persistentModelID)
        twin.owner = try other.model(for: second.persistentModelID) as Owner
        try other.save()
        _ = try context.fetch(Nullified.all)
        #expect(item.owner === second)
        #expect(first.nullified.isEmpty && second.nullified.first === item)
    }

    @Test("row 78: registered models are not read") func registeredModelsAreNotRead() throws {
        let context = try memoryContext()
        let label = Label(name: "a")
        context.insert(label)
        let temporary = label.persistentModelID
        #expect(context.registeredModel(for: temporary) as Label? === label)
        try context.save()
        #expect(context.registeredModel(for: label.persistentModelID) as Label? === label)
        let other = ModelContext(context.container)
        #expect(other.registeredModel(for: label.persistentModelID) as Label? == nil)
        let foreign = try memoryContext()
        #expect(foreign.registeredModel(for: label.persistentModelID) as Label? == nil)
        #expect(context.registeredModel(for: label.persistentModelID) as Person? == nil)
    }

    @Test("row 78: missing objects") func missingObjects() throws {
        let context = try memoryContext()
        let label = Label(name: "a")
        context.insert(label)
        try context.save()
        let identifier = label.persistentModelID
        context.delete(label)
        #expect(throws: StoreError.self) { try context.model(for: identifier) as Label }
        try context.save()
        #expect(throws: StoreError.self) { try context.model(for: identifier) as Label }
        #expect(throws: StoreError.self) { try memoryContext().model(for: identifier) as Label }
        let second = Label(name: "b")
        context.insert(second)
        #expect(throws: StoreError.self) {
            try ModelContext(context.container).model(for: second.persistentModelID) as Label
        }
        try context.save()
        #expect(second.persistentModelID.rowID > identifier.rowID, "a rowid is never used twice")
    }

    @Test("row 79: identifiers before and after the first save") func identifiersBeforeAndAfterTheFirstSave() throws {
        let context = try memoryContext()
        let label = Label(name: "a")
        let before = label.persistentModelID
        #expect(before.isTemporary && before.storeIdentifier == nil)
        context.insert(label)
        #expect(label.persistentModelID == before && label.persistentModelID.entityName == "Label")
        try context.save()
        let after = label.persistentModelID
        #expect(!after.isTemporary && after != before)
        #expect(after.storeIdentifier == context.container.storeIdentifier)
        #expect(after.entityName == "Label")
        #expect(Set([before, after, after]).count == 2)
    }

    @Test("row 55: identifiers as URIs and JSON") func identifiersAsURIsAndJSON() throws {
        let context = try memoryContext()
        let group = Group()
        context.insert(group)
        try context.save()
        let identifier = group.persistentModelID
        let uri = identifier.uriRepresentation
        #expect(uri.absoluteString == "x-ashlar://\(context.container.storeIdentifier)/Group/p\(identifier.rowID)")
        #expect(PersistentIdentifier(uriRepresentation: uri) == identifier)
        let data = try JSONEncoder().encode([identifier])
        #expect(try JSONDecoder().decode([PersistentIdentifier].self, from: data) == [identifier])
        let strange = [
            "x-ashlar://nowhere/Order/p1", "https://a.b", "\(uri)/x", "x-ashlar:", "\(uri)".replacing("/p", with: "/t"),
            "\(uri)".replacing("Group", with: "Nothing"), "x-ashlar://\(context.container.storeIdentifier)/Order/p-1",
        ]
        for text in strange {
            #expect(URL(string: text).flatMap { PersistentIdentifier(uriRepresentation: $0) } == nil, "\(text)")
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode([PersistentIdentifier].self, from: Data("[\"\(text)\"]".utf8))
            }
        }
    }

    @Test func objectsOutliveTheirContext() throws {
        let container = try memoryContainer()
        var context: ModelContext? = ModelContext(container)
        let saved = Person(name: "saved")
        let changed = Person(name: "before")
        let deleted = Person(name: "deleted")
        let inserted = Person(name: "inserted", labels: [Label(name: "label")])
        for object in [saved, changed, deleted] { context?.insert(object) }
        try context?.save()
        let identifier = saved.persistentModelID
        context?.insert(inserted)
        changed.name = "after"
        context?.delete(deleted)
        context = nil
        #expect([saved, changed, deleted, inserted].allSatisfy { $0.modelContext == nil })
        #expect(changed.name == "after" && deleted.name == "deleted" && !deleted.isDeleted)
        #expect(saved.persistentModelID == identifier && identifier.entityName == "Person")
        saved.name = "nobody hears this"
        saved.passport = Passport(number: "1", person: saved)
        #expect(inserted.labels.isEmpty && saved.passport?.number == "1")
        #expect(try ModelContext(container).fetchCount(Person.all) == 3)

        // In another context, the object is inserted as a new one.
        let next = ModelContext(container)
        next.insert(inserted)
        next.insert(saved)
        try next.save()
        #expect(saved.persistentModelID != identifier)
        #expect(try next.fetchCount(Person.all) == 5)
        try container.expectSound()
    }

    @Test("row 60: unused objects are let go") func unusedObjectsAreLetGo() throws {
        let container = try memoryContainer()
        let filler = ModelContext(container)
        for index in 0..<3000 { filler.insert(Label(name: "\(index)")) }
        try filler.save()
        let context = ModelContext(container)
        let kept = try #require(try context.fetch(Label.where { $0.name == "7" }).first)
        let changed = try #require(try context.fetch(Label.where { $0.name == "8" }).first)
        changed.name = "changed"
        for _ in 0..<3 { _ = try context.fetch(Label.all) }
        _ = try context.fetch(Label.where { $0.name == "9" })
        context.registry.map(for: kept.entity.number.root).sweep()
        #expect(context.registry.map(for: kept.entity.number.root).count == 2)
        #expect(try context.fetch(Label.where { $0.name == "7" }).first === kept)
        try context.save()
        #expect(changed.name == "changed" && changed.modelContext === context)
    }
}
