import Ashlar
import AshlarCoreData
import Foundation
import Testing

/// Fragments from books and tutorials about Core Data, in its own names without the prefix: of thirty-two fragments,
/// these run. For the others, the compiler names the replacement, as `CoreDataNamesTests` shows: `viewContext`,
/// `objectID`, `existingObject(with:)`, `count(for:)`, `setQueryGenerationFrom(_:)`, `transactionAuthor`,
/// `value(forKey:)`.
@Suite struct CoreDataTutorialTests {
    private let library: Library
    private var context: ModelContext { library.context }

    init() throws { library = try Library(options: StoreOptions(historyTracking: true)) }

    private var beowulf: Book { get throws { try #require(try library.book("Beowulf")) } }

    // MARK: Contexts

    @Test("1 to 3: contexts of threads") func backgroundContexts() async throws {
        let container = library.container
        try await container.performBackgroundTask { context in
            context.insert(Author(name: "Wells"))
            try context.save()
        }
        let background = container.newBackgroundContext()
        let count = try await background.perform { context in try context.fetchCount(Author.all) }
        #expect(count == 3)
        let names = try background.performAndWait { context in try context.fetch(Author.all).map(\.name) }
        #expect(names.contains("Wells"))
    }

    @Test("4 and 5: merging") func merging() throws {
        let other = ModelContext(library.container)
        other.automaticallyMergesChangesFromParent = true
        other.mergePolicy = .mergeByPropertyObjectTrump
        let theirs = try #require(try other.fetch(Book.where { $0.title == "Beowulf" }).first)
        theirs.summary = "an epic"
        try beowulf.pages = 91
        try context.save()
        try other.save()
        #expect(theirs.pages == 91)
        #expect(try library.saved("Beowulf")?.summary == "an epic")
    }

    @Test("6 to 9: taking changes back") func takingBack() throws {
        let book = try beowulf
        book.pages = 1
        try context.refresh(book, mergeChanges: false)
        #expect(book.pages == 90)
        book.pages = 1
        #expect(context.hasChanges && book.hasChanges)
        context.rollback()
        #expect(book.pages == 90 && !book.hasChanges)
        try context.refreshAllObjects()
        #expect(book.pages == 90)
        context.reset()
        #expect(context.registeredModels.isEmpty)
    }

    @Test("10: a child context") func aChild() throws {
        let child = ModelContext(parent: context)
        let book = try #require(try child.fetch(Book.where { $0.title == "Beowulf" }).first)
        book.pages = 91
        try child.save()
        #expect(try beowulf.pages == 91 && context.hasChanges)
    }

    @Test("11 and 12: undoing") func undoing() throws {
        let undoManager = ModelUndoManager()
        context.undoManager = undoManager
        let book = try beowulf
        book.pages = 1
        context.processPendingChanges()
        undoManager.undo()
        #expect(book.pages == 90)
        undoManager.redo()
        #expect(book.pages == 1)
    }

    @Test("13 and 14: a store that leaves nothing") func nullStore() throws {
        let container = try ModelContainer(for: LibraryModel.self, at: URL(fileURLWithPath: "/dev/null"))
        let context = ModelContext(container)
        context.retainsRegisteredObjects = true
        context.insert(Book(title: "Emma"))
        try context.save()
        #expect(context.registeredModels.count == 1)
    }

    // MARK: Objects

    @Test("15: identity") func identity() throws {
        let identifier = try beowulf.persistentModelID
        let uri = identifier.uriRepresentation
        #expect(PersistentIdentifier(uriRepresentation: uri) == identifier)
    }

    @Test("16 and 17: an object's state") func states() throws {
        let book = Book(title: "Emma")
        context.insert(book)
        #expect(book.isInserted && !book.isDeleted && book.persistentModelID.isTemporary)
        context.delete(try beowulf)
        #expect(context.hasChanges)
        try context.save()
        #expect(!book.isInserted && !book.persistentModelID.isTemporary)
        context.detectConflicts(for: book)
        try context.save()
    }

    @Test("18 and 19: values by name") func valuesByName() throws {
        let book = try beowulf
        try book.setValue("Grendel", forKeyPath: "title")
        #expect(try book.value(forKeyPath: "title") as? String == "Grendel")
        #expect(book.primitiveValue(for: \.title) == "Grendel")
    }

    @Test("20: an object is printed") func printing() throws {
        #expect(try "\(beowulf)".contains("Beowulf"))
    }

    // MARK: Fetching

    @Test("21 to 23: a request") func aRequest() throws {
        var request = try FetchDescriptor<Book>(format: "pages > %d AND title BEGINSWITH[c] %@", 250, "THE")
        #expect(try context.fetch(request).map(\.title) == ["The Last Man"])
        request = try FetchDescriptor<Book>(format: "ANY loans.returned == NO OR author.name == %@", "Shelley")
        request.fetchLimit = 1
        request.fetchOffset = 1
        request.includesSubentities = false
        request.sortBy = [SortDescriptor(\.pages)]
        #expect(try context.fetch(request).map(\.title) == ["The Last Man"])
    }

    @Test("28: the entity of an object") func entityNames() throws {
        func titles(_ format: String, _ name: String) throws -> [String] {
            try context.fetch(FetchDescriptor<Book>(format: format, name)).map(\.title)
        }
        context.insert(AudioBook(title: "Emma"))
        for _ in 1...2 {
            #expect(try Set(titles("entity.name == %@", "AudioBook")) == ["Le tour du monde", "Emma"])
            #expect(try titles("SELF.entity.name != %@ AND pages < 100", "AudioBook") == ["Beowulf"])
            #expect(try titles("entity.name IN {'Author', %@}", "Loan").isEmpty)
            #expect(try titles("author.entity.name == NULL AND entity.name BEGINSWITH %@", "B") == ["Beowulf"])
            let authors = try FetchDescriptor<Author>(format: "ANY books.entity.name == %@", "AudioBook")
            #expect(try context.fetch(authors).map(\.name) == ["Verne"])
            try context.save()
        }
        #expect(throws: FetchError.self) { try titles("entity == %@", "Book") }
    }

    @Test("24: a controller of results") func results() throws {
        let controller = FetchedResultsController(Book.order { $0.title.ascending }, in: context)
        try controller.performFetch()
        #expect(controller.fetchedObjects.first?.title == "Beowulf")
        let first = controller.object(at: IndexPath(indexes: [0, 0]))
        #expect(first?.title == "Beowulf")
    }

    // MARK: Batches and history

    @Test("25: a batch deletion") func batchDeletion() throws {
        let result = try context.execute(BatchDeleteRequest(Book.where { $0.pages < 100 }))
        #expect(result.count == 2)
        #expect(try context.fetchCount(Book.all) == 3)
    }

    @Test("26 and 27: the persistent history") func history() throws {
        let token = try library.container.currentHistoryToken()
        try beowulf.pages = 91
        try context.save()
        let transactions = try library.container.fetchHistory(.fetchHistory(after: token))
        #expect(transactions.flatMap(\.changes).map(\.changeType) == [.update])
        let other = ModelContext(library.container)
        try other.mergeChanges(from: try #require(transactions.first).objectIDNotification())
        try library.container.deleteHistory(before: token)
    }
}
