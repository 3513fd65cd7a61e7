import Ashlar
import Foundation
import Observation
import Testing

/// Transient attributes are in no column, and count as changes all the same.
@Suite struct TransientAttributeTests {
    let context: ModelContext
    let diary: Diary

    init() throws {
        context = try studioContext()
        diary = Diary(text: "a")
        context.insert(diary)
        try context.save()
        diary.log = "kept"
        try context.save()
    }

    @Test("row 8: a transient change marks the object") func marks() throws {
        var saved: [[ManagedObject]] = []
        context.observe(.didSave) { _, changes in saved.append(changes.updatedModels.map { $0 as ManagedObject }) }
        // A hook set the value, which did not count as a change.
        #expect(diary.log == "kept save saved" && !diary.hasChanges)
        diary.log = "x"
        #expect(diary.hasChanges && context.hasChanges && !diary.hasPersistentChangedValues)
        #expect(diary.changedProperties.isEmpty)
        try context.save()
        #expect(saved == [[diary]] && diary.log == "x save saved" && !context.hasChanges)
        #expect(try context.container.integer("SELECT \"version$\" FROM \"Diary\"") == 1)
    }

    @Test("row 8: what a fetch prepares is no change") func preparing() throws {
        let other = ModelContext(context.container)
        #expect(try other.fetch(Diary.all).map(\.log) == ["fetch(0)"])
        #expect(!other.hasChanges)
    }

    @Test("row 8: a rollback, a refresh and a reset take it back") func takingBack() throws {
        diary.log = "x"
        diary.log = "y"
        context.rollback()
        #expect(diary.log == "kept save saved snapshot(16)" && !context.hasChanges)
        diary.log = "x"
        try context.refresh(diary)
        #expect(diary.log == "x snapshot(32)" && diary.hasChanges)
        try context.refresh(diary, mergeChanges: false)
        #expect(diary.log == "snapshot(32)" && !context.hasChanges)
        try context.save()
        diary.log = "x"
        try context.refreshAllObjects()
        #expect(diary.log == "x snapshot(32)" && context.hasChanges)
        try context.save()
        try context.refreshAllObjects()
        #expect(diary.log == "snapshot(32)")
        diary.log = "x"
        context.reset()
        #expect(diary.log == nil && diary.modelContext == nil)
    }

    @Test("rows 8, 71: a child's save hands it up") func children() throws {
        let child = ModelContext(parent: context)
        let twin: Diary = try child.model(for: diary.persistentModelID)
        twin.log = "child"
        let new = Diary(text: "new")
        child.insert(new)
        new.log = "new"
        try child.save()
        #expect(diary.log == "child save" && diary.hasChanges && !diary.hasPersistentChangedValues)
        #expect(context.insertedModelsArray.compactMap { ($0 as? Diary)?.log } == ["new save"])
        try context.save()
        #expect(try context.fetched(Diary.self).count == 2)
    }

    @Test("rows 8, 76: undo and redo follow it") func undoing() throws {
        let undo = ModelUndoManager()
        context.undoManager = undo
        diary.log = "x"
        diary.text = "b"
        context.processPendingChanges()
        diary.log = "y"
        undo.undo()
        #expect(diary.log == "x snapshot(8)" && diary.text == "b")
        undo.undo()
        #expect(diary.log == "kept save saved snapshot(8)" && diary.text == "a")
        undo.redo()
        #expect(diary.log == "x snapshot(8)" && diary.text == "b")
        undo.redo()
        #expect(diary.log == "y snapshot(8)")
    }

    @Test("rows 8, 65, 68: observers are told of it") func observing() throws {
        context.isObservable = true
        let counter = Counter()
        withObservationTracking {
            _ = diary.log
        } onChange: {
            counter.add()
        }
        var told: [[ManagedObject]] = []
        context.observe(.objectsDidChange) { _, changes in
            told.append(changes.updatedModels.map { $0 as ManagedObject })
        }
        diary.log = "x"
        context.processPendingChanges()
        #expect(counter.value == 1 && told == [[diary]])
    }
}
