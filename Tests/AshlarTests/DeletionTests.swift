import Foundation
import Testing

@testable import Ashlar

/// The effects of a deletion on related objects.
@Suite struct DeletionTests {
    let context: ModelContext

    init() throws { context = try memoryContext() }

    private func saved(_ objects: any PersistentModel...) throws {
        for object in objects { context.insert(object) }
        try context.save()
    }

    private func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
        try ModelContext(context.container).fetchCount(FetchDescriptor<Model>())
    }

    @Test("row 84: nullify") func nullify() throws {
        let item = Nullified(name: "item")
        let owner = Owner(name: "owner", nullified: [item])
        try saved(owner)
        context.delete(owner)
        #expect(item.owner == nil && owner.isDeleted && !item.isDeleted)
        #expect(try context.fetch(Owner.all).isEmpty)
        try context.save()
        #expect(try count(Owner.self) == 0 && count(Nullified.self) == 1)
        #expect(owner.modelContext == nil && owner.isDeleted && owner.name == "owner")
        #expect(try context.fetched(Nullified.self).first?.values.owner == nil)
    }

    /// The rule of the to-one side: the collection loses the deleted member.
    @Test func deletingAMember() throws {
        let items = ["a", "b"].map { Nullified(name: $0) }
        let owner = Owner(name: "owner", nullified: items)
        try saved(owner)
        #expect(owner.nullified.count == 2)
        context.delete(items[0])
        #expect(owner.nullified.map(\.name) == ["b"] && owner.nullified.count == 1)
        try context.save()
        #expect(owner.nullified.map(\.name) == ["b"])
    }

    @Test func nullifyOfARequiredReferenceFailsTheSave() throws {
        let item = Required(name: "item", owner: Owner(name: "owner"))
        try saved(item)
        let owner = try #require(item.owner)
        context.delete(owner)
        #expect { try context.save() } throws: { isValidation($0, ["owner"], .missingRequiredValue) }
        item.owner = Owner(name: "another")
        try context.save()
        #expect(try count(Owner.self) == 1 && count(Required.self) == 1)
    }

    @Test("row 85: cascade") func cascade() throws {
        let owner = Owner(name: "owner", cascaded: ["a", "b"].map { Cascaded(name: $0) })
        let kept = Cascaded(name: "kept")
        try saved(owner, kept)
        context.delete(owner)
        #expect(context.deletedModelsArray.count == 3)
        try context.save()
        #expect(try count(Cascaded.self) == 1)
    }

    /// A cascade spares members that were moved away before, though the store still has them at the old place.
    @Test func cascadeSparesWhatWasMoved() throws {
        let moved = Cascaded(name: "moved")
        let orphan = Cascaded(name: "orphan")
        let owner = Owner(name: "owner", cascaded: [moved, orphan])
        let heir = Owner(name: "heir")
        try saved(owner, heir)
        moved.owner = heir
        orphan.owner = nil
        context.delete(owner)
        try context.save()
        #expect(heir.cascaded.first === moved)
        #expect(try count(Cascaded.self) == 2)
        try context.container.expectSound()
    }

    @Test func cascadesMayBeDeepAndGoInCircles() throws {
        let root = Node(name: "root")
        var last = root
        var nodes = [root]
        for index in 0..<4_000 {
            let next = Node(name: "\(index)")
            next.parent = last
            last = next
            nodes.append(next)
        }
        try saved(root)
        #expect(try count(Node.self) == 4_001)
        context.delete(root)
        #expect(context.deletedModelsArray.count == 4_001)
        try context.save()
        #expect(try count(Node.self) == 0)

        let ring = ["a", "b", "c"].map { Node(name: $0) }
        for (index, node) in ring.enumerated() { node.parent = ring[(index + 1) % 3] }
        try saved(ring[0])
        context.delete(ring[1])
        try context.save()
        #expect(try count(Node.self) == 0)
    }

    @Test("row 86: deny fails the save") func denyFailsTheSave() throws {
        let items = ["a", "b"].map { Denied(name: $0) }
        let owner = Owner(name: "owner", denied: items)
        try saved(owner)
        context.delete(owner)
        #expect { try context.save() } throws: { isValidation($0, ["denied"], .deletionDenied) }
        #expect(context.hasChanges && owner.isDeleted)
        #expect(try count(Owner.self) == 1)
        context.rollback()
        #expect(!owner.isDeleted && owner.denied.count == 2 && items[0].owner === owner)
    }

    @Test("row 86: deny is lifted when the targets go") func denyIsLiftedWhenTheTargetsGo() throws {
        let items = ["a", "b"].map { Denied(name: $0) }
        let owner = Owner(name: "owner", denied: items)
        try saved(owner)
        context.delete(owner)
        context.delete(items[0])
        #expect { try context.save() } throws: { isValidation($0, ["denied"], .deletionDenied) }
        items[1].owner = nil
        try context.save()
        #expect(try count(Owner.self) == 0 && count(Denied.self) == 1)
        try context.container.expectSound()
    }

    @Test("row 87: no action leaves the reference") func noActionLeavesTheReference() throws {
        let item = Ignored(name: "item")
        let owner = Owner(name: "owner", ignored: [item])
        try saved(owner)
        let identifier = owner.persistentModelID
        context.delete(owner)
        try context.save()
        #expect(item.owner == nil && item.values.owner == identifier)
        #expect(try context.fetched(Ignored.self).first?.values.owner?.rowID == identifier.rowID)
        item.owner = Owner(name: "next")
        try context.save()
        #expect(item.owner?.name == "next")
    }

    @Test func oneToOneCascade() throws {
        let person = Person(name: "p")
        let passport = Passport(number: "1", person: person)
        try saved(person)
        context.delete(passport)
        #expect(person.passport == nil)
        context.rollback()
        #expect(person.passport === passport)
        context.delete(person)
        #expect(passport.isDeleted)
        try context.save()
        #expect(try count(Passport.self) == 0)
    }

    /// A required relationship whose column is at its other end is validated too.
    @Test func theHolderOfWhatIsRequiredCannotGoAlone() throws {
        let engine = Engine(name: "e")
        let chassis = Chassis(name: "c", engine: engine)
        try saved(chassis)
        let identifier = engine.persistentModelID
        context.delete(engine)
        #expect { try context.save() } throws: { isValidation($0, ["engine"], .missingRequiredValue) }
        context.rollback()
        // Validation does not require that the other end was fetched.
        let other = ModelContext(context.container)
        let twin: Engine = try other.model(for: identifier)
        twin.chassis = nil
        #expect { try other.save() } throws: { isValidation($0, ["engine"], .missingRequiredValue) }
        context.delete(chassis)
        try context.save()
        #expect(try count(Engine.self) == 0)
    }

    @Test func manyToMany() throws {
        let label = Label(name: "x")
        let people = ["p", "q"].map { Person(name: $0, labels: [label]) }
        try saved(people[0], people[1])
        context.delete(people[0])
        #expect(label.people.map(\.name) == ["q"])
        try context.save()
        let other = ModelContext(context.container)
        #expect(try other.fetch(Label.all).first?.people.count == 1)
        #expect(try context.container.integer("SELECT count(*) FROM \"Label$people\"") == 1)
    }

    @Test("row 59: inserted objects are forgotten") func insertedObjectsAreForgotten() throws {
        let owner = Owner(name: "owner")
        try saved(owner)
        let item = Cascaded(name: "item", owner: owner)
        let denied = Denied(name: "denied")
        context.insert(denied)
        denied.owner = Owner(name: "never saved")
        #expect(owner.cascaded.count == 1)
        context.delete(item)
        #expect(owner.cascaded.isEmpty && item.modelContext == nil && item.isDeleted)
        context.delete(try #require(denied.owner))
        #expect(denied.owner == nil)
        try context.save()
        #expect(try count(Cascaded.self) == 0 && count(Owner.self) == 1 && count(Denied.self) == 1)
        // Inserted again, the object exists once, and without its former owner.
        context.insert(item)
        #expect(item.owner == nil)
        item.owner = owner
        context.delete(item)
        context.insert(item)
        item.owner = owner
        #expect(owner.cascaded.count == 1 && context.insertedModelsArray.count == 1)
        try context.save()
        #expect(try count(Cascaded.self) == 1)
    }

    @Test func referencesToWhatWasNeverSavedAreEmptied() throws {
        let node = Node(name: "node")
        let label = Label(name: "label")
        let saved = Label(name: "saved")
        context.insert(saved)
        try context.save()
        context.insert(node)
        node.favourite = label
        node.marks = [label]
        context.delete(label)
        #expect(node.favourite == nil && node.marks.isEmpty)
        try context.save()
        let second = Node(name: "second", favourite: saved, marks: [saved])
        context.insert(second)
        context.delete(saved)
        try context.save()
        #expect(second.favourite == nil && second.marks.isEmpty)
        try context.container.expectSound()
    }

    @Test func deletionIsUndoneByRollbackAndByInsertion() throws {
        let item = Nullified(name: "item")
        let owner = Owner(name: "owner", cascaded: [Cascaded(name: "c")], nullified: [item])
        try saved(owner)
        context.delete(owner)
        context.rollback()
        #expect(item.owner === owner && owner.nullified.first === item && owner.cascaded.count == 1)
        #expect(!context.hasChanges && context.deletedModelsArray.isEmpty)
        context.delete(item)
        context.insert(item)
        #expect(!item.isDeleted && context.deletedModelsArray.isEmpty)
        try context.save()
        #expect(try count(Nullified.self) == 1)
        context.delete(item)
        try context.save()
        context.insert(item)
        try context.save()
        #expect(try context.fetched(Nullified.self).map(\.name) == ["item"])
    }

    /// An object that another context deleted is no longer a member, and access by position is safe.
    @Test("row 80: collections lose what another context deleted")
    func collectionsLoseWhatAnotherContextDeleted() throws {
        let owner = Owner(name: "owner", nullified: ["a", "b", "c"].map { Nullified(name: $0) })
        try saved(owner)
        let other = ModelContext(context.container)
        let twin: Owner = try other.model(for: owner.persistentModelID)
        #expect(twin.nullified.count == 3)
        context.delete(owner.nullified[0])
        try context.save()
        other.registry.visitMaps { $1.sweep() }
        #expect(twin.nullified.count == 2 && twin.nullified.map(\.name).count == 2)
        for position in twin.nullified.indices { #expect(twin.nullified[position].modelContext === other) }
        let container = context.container
        try container.execute("DELETE FROM Nullified")
        other.registry.visitMaps { $1.sweep() }
        #expect(twin.nullified.isEmpty && twin.nullified.first == nil)
    }

    /// The rule holds whichever side has the foreign key.
    @Test("row 86: deny is lifted from the other side", arguments: [true, false])
    func denyIsLiftedFromTheOtherSide(deletesLock: Bool) throws {
        let context = ModelContext(try memoryContainer(DepotModel.self))
        let lock = Padlock(name: "l", code: PadlockCode(name: "c"))
        context.insert(lock)
        try context.save()
        let code = try #require(lock.code)
        if deletesLock { context.delete(lock) } else { context.delete(code) }
        #expect(throws: SaveError.self) { try context.save() }
        if deletesLock { code.padlock = nil } else { lock.code = nil }
        try context.save()
        #expect(try context.fetchCount(Padlock.all) + context.fetchCount(PadlockCode.all) == 1)
        try context.container.expectSound()
    }

    @Test("row 86: a rollback gives back the reference that denied", arguments: [true, false])
    func rollbackGivesBackTheDenyingReference(deletesLock: Bool) throws {
        let context = ModelContext(try memoryContainer(DepotModel.self))
        let lock = Padlock(name: "l", code: PadlockCode(name: "c"))
        context.insert(lock)
        try context.save()
        let code = try #require(lock.code)
        if deletesLock { context.delete(lock) } else { context.delete(code) }
        if deletesLock { code.padlock = nil } else { lock.code = nil }
        context.rollback()
        #expect(lock.code === code && code.padlock === lock)
        #expect(!context.hasChanges)
    }

    @Test("row 86: what lifted a denial is undone")
    func liftedDenialIsUndone() throws {
        let context = ModelContext(try memoryContainer(DepotModel.self))
        let lock = Padlock(name: "l", code: PadlockCode(name: "c"))
        context.insert(lock)
        try context.save()
        let undoManager = ModelUndoManager()
        context.undoManager = undoManager
        let code = try #require(lock.code)
        for (deleted, lift) in [
            (lock, { code.padlock = nil }), (code, { lock.code = nil }),
            (lock, { code.padlock = Padlock(name: "other") }), (code, { lock.code = PadlockCode(name: "other") }),
        ] as [(any PersistentModel, () -> Void)] {
            context.delete(deleted)
            context.processPendingChanges()
            lift()
            context.processPendingChanges()
            undoManager.undo()
            #expect(throws: SaveError.self) { try context.save() }
            undoManager.undo()
            #expect(lock.code === code && code.padlock === lock)
            try context.save()
        }
    }
}
