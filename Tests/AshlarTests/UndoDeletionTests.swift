import Testing

@testable import Ashlar

/// If the deletion of an object is undone, the other sides of its relationships contain it again, whatever was read
/// of them before or meanwhile.
@Suite struct UndoDeletionTests {
    private func context(_ container: ModelContainer) -> (ModelContext, ModelUndoManager) {
        let context = ModelContext(container)
        let undoManager = ModelUndoManager()
        context.undoManager = undoManager
        return (context, undoManager)
    }

    @Test func anOrderThatWasNotReadBefore() throws {
        let container = try memoryContainer(NewsroomModel.self)
        let writing = ModelContext(container)
        let report = Report(title: "r")
        report.keywords = ToMany(["a", "b", "c"].map { Keyword(name: $0) })
        writing.insert(report)
        try writing.save()
        let (context, undoManager) = context(container)
        context.delete(try #require(try context.fetchFirst(Keyword.where { $0.name == "b" })))
        context.processPendingChanges()
        let read: Report = try context.model(for: report.persistentModelID)
        #expect(read.keywords.map(\.name) == ["a", "c"])
        undoManager.undo()
        #expect(read.keywords.map(\.name) == ["a", "b", "c"])
    }

    @Test(arguments: [true, false]) func aLinkToItself(isSaved: Bool) throws {
        let (context, undoManager) = context(try memoryContainer(NewsroomModel.self))
        let dossier = Dossier(name: "d")
        dossier.links = [dossier]
        context.insert(dossier)
        if isSaved { try context.save() } else { context.processPendingChanges() }
        context.delete(dossier)
        context.processPendingChanges()
        undoManager.undo()
        #expect(Array(dossier.links) == [dossier])
        undoManager.redo()
        try context.save()
        #expect(try context.fetchCount(Dossier.all) == 0)
        try context.container.expectSound()
    }

    @Test func whatDeniesADeletionDoesSoAgain() throws {
        let (context, undoManager) = context(try memoryContainer(DepotModel.self))
        let binder = Binder(name: "b")
        let seal = Seal(name: "s", binder: binder)
        context.insert(seal)
        try context.save()
        context.delete(binder)
        context.processPendingChanges()
        #expect(throws: SaveError.self) { try context.save() }
        seal.binder = nil
        undoManager.undo()
        #expect(seal.binder == nil)
        #expect(throws: SaveError.self) { try context.save() }
        undoManager.undo()
        #expect(seal.binder === binder)
        try context.save()
    }

    @Test func whatOthersSavedMeanwhile() throws {
        let container = try memoryContainer(DepotModel.self)
        let (context, undoManager) = context(container)
        let seal = Seal(name: "s")
        context.insert(seal)
        try context.save()
        context.automaticallyMergesChangesFromParent = true
        context.delete(seal)
        context.processPendingChanges()
        let other = ModelContext(container)
        let changed: Seal = try other.model(for: seal.persistentModelID)
        changed.name = "t"
        changed.binder = Binder(name: "b")
        try other.save()
        context.processPendingChanges()
        undoManager.undo()
        #expect(seal.name == "t" && seal.binder?.name == "b" && seal.binder?.seals.contains(seal) == true)
        try context.save()
        try container.expectSound()
    }

    @Test func aMemberThatKnowsNothingOfIt() throws {
        let (context, undoManager) = context(try memoryContainer(DepotModel.self))
        let (padlock, seals) = (Padlock(name: "p"), ["a", "b"].map { Seal(name: $0) })
        padlock.tags = ToMany(seals)
        context.insert(padlock)
        try context.save()
        context.delete(seals[0])
        context.processPendingChanges()
        #expect(padlock.tags.count == 1)
        undoManager.undo()
        #expect(padlock.tags.map(\.name).sorted() == ["a", "b"])
    }

    @Test func whatDeniesADeletionLeavesAnother() throws {
        let (context, undoManager) = context(try memoryContainer(DepotModel.self))
        let binder = Binder(name: "b")
        let other = Binder(name: "o")
        let seal = Seal(name: "s", binder: binder)
        context.insert(seal)
        context.insert(other)
        try context.save()
        #expect(other.seals.isEmpty)
        context.delete(binder)
        context.processPendingChanges()
        other.seals = [seal]
        undoManager.undo()
        #expect(seal.binder == nil && other.seals.isEmpty)
        undoManager.undo()
        #expect(seal.binder === binder && Array(binder.seals) == [seal])
        try context.save()
    }

    @Test func whereItIsDenied() throws {
        let container = try memoryContainer(DepotModel.self)
        let (context, undoManager) = context(container)
        let parcel = Parcel(name: "p")
        parcel.seals = [Seal(name: "s")]
        context.insert(parcel)
        try context.save()
        try context.refreshAllObjects()
        let seal = try #require(try context.fetchFirst(Seal.all))
        context.delete(parcel)
        context.processPendingChanges()
        #expect(seal.parcels.isEmpty)
        undoManager.undo()
        #expect(Array(seal.parcels) == [parcel])
        try context.save()
        let other = ModelContext(container)
        #expect(try other.fetchFirst(Parcel.all)?.seals.count == 1)
    }
}
