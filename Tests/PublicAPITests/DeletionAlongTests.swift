import Ashlar
import Testing

/// A save deletes members along with their owner that another context added meanwhile.
@Suite struct DeletionAlongTests {
    let library: Library
    let context: ModelContext
    let book: Book

    init() throws {
        library = try Library()
        context = library.context
        book = try #require(try library.book("Beowulf"))
        context.undoManager = ModelUndoManager()
    }

    /// Another context lends the book, and renames an author.
    private func changeElsewhere() throws -> PersistentIdentifier {
        let other = ModelContext(library.container)
        let loan = Loan(borrower: "Ada", book: try other.model(for: book.persistentModelID) as Book)
        other.insert(loan)
        let author = try #require(try other.fetch(Author.where { $0.name == "Verne" }).first)
        author.name = "Jules Verne"
        try other.save()
        return loan.persistentModelID
    }

    @Test(arguments: [true, false]) func aFailedSaveLeavesTheContextAsItWas(_ canUndo: Bool) throws {
        if !canUndo { context.undoManager = nil }
        let author = try #require(try context.fetch(Author.where { $0.name == "Verne" }).first)
        context.delete(book)
        author.name = "J. Verne"
        let identifier = try changeElsewhere()
        context.mergePolicy = .custom { conflict, _, _, _ in
            conflict.entity == "Book" ? .mergeByPropertyObjectTrump : .error
        }
        for _ in 0..<2 {
            #expect {
                try context.save()
            } throws: { error in
                guard case SaveError.conflict(let conflicts) = error else { return false }
                return conflicts.map(\.entity) == ["Author"]
            }
            let loan: Loan = try context.model(for: identifier)
            #expect(!loan.isDeleted && !loan.hasChanges && loan.borrower == "Ada")
            #expect(context.deletedModelsArray.map(\.persistentModelID) == [book.persistentModelID])
            #expect(context.changedModelsArray.map(\.persistentModelID) == [author.persistentModelID])
            #expect(try context.fetch(Loan.all) == [loan])
        }
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        #expect(try ModelContext(library.container).fetchCount(Loan.all) == 0)
        #expect(try library.saved("Beowulf") == nil)
    }

    @Test func oneUndoBringsBackTheOwnerWithItsMembers() throws {
        var saves = 0
        context.observe(.willSave) { _, _ in saves += 1 }
        context.mergePolicy = .mergeByPropertyObjectTrump
        context.delete(book)
        context.processPendingChanges()
        context.insert(ReadingList(title: "later"))
        _ = try changeElsewhere()
        try context.save()
        #expect(saves == 1)
        #expect(try ModelContext(library.container).fetchCount(Loan.all) == 0)
        let undoManager = try #require(context.undoManager)
        // The list was loaded after the deletion.
        undoManager.undo()
        #expect(try context.fetchCount(Loan.all) == 0 && context.fetchCount(ReadingList.all) == 0)
        undoManager.undo()
        #expect(!undoManager.canUndo && book.loans.map(\.borrower) == ["Ada"])
        try context.save()
        let reader = ModelContext(library.container)
        #expect(try reader.fetch(Loan.all).map { $0.book?.title } == ["Beowulf"])
        undoManager.redo()
        try context.save()
        #expect(try ModelContext(library.container).fetchCount(Loan.all) == 0)
        #expect(try library.saved("Beowulf") == nil)
    }
}
