import Ashlar
import Testing

/// Undoing changes.
@Suite struct UndoTests {
    @Test func changesAreUndoneAndRedone() throws {
        let library = try Library()
        let (context, undoManager) = (library.context, ModelUndoManager())
        context.undoManager = undoManager
        let book = try #require(try library.book("Beowulf"))
        undoManager.beginUndoGrouping()
        book.title = "Grendel"
        undoManager.endUndoGrouping()
        undoManager.beginUndoGrouping()
        undoManager.setActionName("Delete Book")
        context.delete(book)
        undoManager.endUndoGrouping()
        #expect(undoManager.canUndo && undoManager.undoActionName == "Delete Book")
        undoManager.undo()
        #expect(!book.isDeleted && book.title == "Grendel")
        undoManager.undo()
        #expect(book.title == "Beowulf" && !undoManager.canUndo)
        undoManager.redo()
        #expect(book.title == "Grendel")
    }

    @Test func whatWasSavedIsUndoneToo() throws {
        let library = try Library()
        library.context.undoManager = ModelUndoManager()
        let book = try #require(try library.book("Beowulf"))
        book.pages = 1
        try library.context.save()
        library.context.undoManager?.undo()
        #expect(book.pages == 90 && library.context.hasChanges)
        try library.context.save()
        #expect(try library.saved("Beowulf")?.pages == 90)
    }
}
