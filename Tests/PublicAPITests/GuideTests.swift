import Ashlar
import Foundation
import Testing

/// Numbers and effects that the guides promise.
struct GuideTests {
    @Test func prefetchingCostsOneStatementMore() throws {
        let library = try Library()
        defer { withExtendedLifetime(library) {} }
        let context = ModelContext(library.container)
        context.statementCount = 0
        let books = try context.fetch(Book.all.prefetch { $0.author })
        #expect(books.compactMap { $0.author?.name }.count == 4)
        #expect(context.statementCount == 2)
    }

    @Test func aLiveListPrefetchesForNewObjectsToo() throws {
        let library = try Library()
        defer { withExtendedLifetime(library) {} }
        let context = ModelContext(library.container)
        context.automaticallyMergesChangesFromParent = true
        let list = FetchedResultsController(Book.order { $0.title.ascending }.prefetch { $0.author }, in: context)
        try list.performFetch()
        context.statementCount = 0
        #expect(list.fetchedObjects.compactMap { $0.author?.name }.count == 4)
        #expect(context.statementCount == 0)
        let other = ModelContext(library.container)
        let author = Author(name: "Butler")
        let book = Book(pages: 264, title: "Kindred")
        other.insert(author)
        other.insert(book)
        book.author = author
        try other.save()
        context.processPendingChanges()
        let added = try #require(list.fetchedObjects.first { $0.title == "Kindred" })
        context.statementCount = 0
        #expect(added.author?.name == "Butler")
        #expect(context.statementCount == 0)
    }

    @Test func aPlanNamesTheIndex() throws {
        let library = try Library()
        defer { withExtendedLifetime(library) {} }
        let context = ModelContext(library.container)
        let plan = try context.queryPlan(of: Book.where { $0.year > 1900 })
        #expect(plan.contains { $0.contains("byYear") })
    }

    @Test func aLimitOfNoneFetchesNothing() throws {
        let library = try Library()
        defer { withExtendedLifetime(library) {} }
        let context = ModelContext(library.container)
        #expect(try context.fetch(Book.all.limit(0)).isEmpty)
    }

    @Test func aUniqueValueThatIsTakenFailsTheSave() throws {
        let library = try Library()
        defer { withExtendedLifetime(library) {} }
        let context = ModelContext(library.container)
        context.insert(Author(name: "Verne"))
        #expect {
            try context.save()
        } throws: { error in
            guard case SaveError.notUnique(_, properties: ["name"], values: [.text("Verne")]) = error else {
                return false
            }
            return "\(error)".contains("another object has the same name (“Verne”) as ")
        }
    }

    /// As Lists.md says about upserts.
    @Test func afterAnUpsertTheNewObjectIsInNoContextIfTheRowHasAnObject() throws {
        let library = try Library()
        defer { withExtendedLifetime(library) {} }
        let context = ModelContext(library.container)
        context.mergePolicy = .mergeByPropertyObjectTrump
        let known = try #require(try context.fetchFirst(Author.where { $0.name == "Verne" }))
        let new = Author(name: "Verne", penNames: ["Capitaine"])
        context.insert(new)
        try context.save()
        #expect(new.modelContext == nil && known.penNames == ["Capitaine"])
        #expect(new.persistentModelID == known.persistentModelID)
        new.penNames = ["lost"]
        #expect(!context.hasChanges)
    }

    @Test func withAPolicyItUpdatesTheRowThatHasIt() throws {
        let library = try Library()
        defer { withExtendedLifetime(library) {} }
        let context = ModelContext(library.container)
        let before = try #require(try context.fetchIdentifiers(Author.where { $0.name == "Verne" }).first)
        context.mergePolicy = .mergeByPropertyObjectTrump
        context.insert(Author(name: "Verne", penNames: ["Capitaine"]))
        try context.save()
        let other = ModelContext(library.container)
        let after = try other.fetch(Author.where { $0.name == "Verne" })
        #expect(after.map(\.persistentModelID) == [before])
        #expect(after.first?.penNames == ["Capitaine"])
        #expect(after.first?.books.count == 2)
    }

    @Test func aBatchUpdatesTheRowsThatAreThereAndTheirRelationshipsStay() throws {
        let library = try Library()
        defer { withExtendedLifetime(library) {} }
        let rows = [Author.Values(name: "Verne", penNames: ["Capitaine"]), Author.Values(name: "Woolf")]
        try library.context.batchInsert(
            contentsOf: rows, onConflict: .update(uniqueBy: ["name"], setting: ["penNames"]))
        let verne = try library.context.fetchFirst(Author.where { $0.name == "Verne" })
        #expect(verne?.penNames == ["Capitaine"])
        #expect(verne?.books.count == 2)
        #expect(try library.context.fetchCount(Author.all) == 3)
    }

    @Test func pagesHaveEachObjectOnce() throws {
        let library = try Library()
        defer { withExtendedLifetime(library) {} }
        let context = ModelContext(library.container)
        let longest = Book.order { $0.pages.descending }.limit(2)
        var titles: [String] = []
        var page = try context.fetch(longest.page(after: nil))
        while !page.isEmpty {
            titles += page.map(\.title)
            page = try context.fetch(longest.page(after: page.last))
        }
        #expect(titles.count == 5)
        #expect(Set(titles).count == 5)
    }

    @Test func whatTwoContextsChangeIsAConflict() throws {
        let library = try Library()
        defer { withExtendedLifetime(library) {} }
        let (mine, theirs) = (ModelContext(library.container), ModelContext(library.container))
        let book = try mine.fetchFirst(Book.all)
        try theirs.fetchFirst(Book.all)?.pages += 1
        try theirs.save()
        book?.pages += 1
        #expect {
            try mine.save()
        } throws: { error in
            guard case SaveError.conflict = error else { return false }
            return true
        }
    }

    @Test func aGroupLastsUntilPendingChangesAreProcessed() throws {
        let library = try Library()
        defer { withExtendedLifetime(library) {} }
        let context = ModelContext(library.container)
        let undoManager = ModelUndoManager()
        context.undoManager = undoManager
        let book = Book(pages: 1, title: "Ulysses")
        context.insert(book)
        book.pages = 2
        context.processPendingChanges()
        book.pages = 3
        undoManager.undo()
        #expect(book.pages == 2 && book.modelContext != nil)
        undoManager.undo()
        #expect(book.modelContext == nil && !undoManager.canUndo)
        undoManager.disableUndoRegistration()
        context.insert(Book(title: "Dubliners"))
        undoManager.enableUndoRegistration()
        #expect(!undoManager.canUndo && context.hasChanges)
    }

    @Test func aStoreThatIsOpenIsNotDestroyed() throws {
        let library = try Library()
        defer { withExtendedLifetime(library) {} }
        let url = library.container.configuration.url
        #expect {
            try ModelContainer.destroyStore(at: url)
        } throws: { error in
            guard case StoreError.storeInUse = error else { return false }
            return true
        }
    }
}
