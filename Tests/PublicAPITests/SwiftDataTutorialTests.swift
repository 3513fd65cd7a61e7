import Ashlar
import Foundation
import Testing

/// Fragments from tutorials about SwiftData, with the import changed: of thirty-two fragments, these run.
///
/// The others are the macros `@Model`, which the model in XML replaces, and `@ModelActor`, whose expansion is written
/// out in ``anActor()``; and `fetch(_:batchSize:)`, which gives nil where a row has gone since.
@Suite struct SwiftDataTutorialTests {
    private let container: ModelContainer
    private let modelContext: ModelContext

    init() throws {
        let schema = Schema([Book.self, Author.self, Loan.self])
        let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
        container = try ModelContainer(for: schema, configurations: [configuration])
        modelContext = ModelContext(container)
        for (title, pages) in [("Beowulf", 90), ("Dracula", 400), ("Emma", 450)] {
            modelContext.insert(Book(pages: Int64(pages), title: title))
        }
        try modelContext.save()
    }

    private var emma: Book {
        get throws { try #require(try modelContext.fetch(FetchDescriptor<Book>()).first { $0.title == "Emma" }) }
    }

    // MARK: Containers

    @Test("1 and 2: a container") func aContainer() throws {
        let container = try ModelContainer(
            for: Book.self, Author.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let author = Author(name: "Austen")
        context.insert(author)
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Author>()) == [author])
    }

    @Test("3: the main context") @MainActor func theMainContext() throws {
        container.mainContext.insert(Author(name: "Austen"))
        try container.mainContext.save()
        #expect(try container.mainContext.fetchCount(FetchDescriptor<Author>()) == 1)
    }

    @Test("4 and 5: wiping a store") func wiping() throws {
        try container.deleteAllData()
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Book>()) == 0)
        try container.erase()
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Book>()) == 0)
    }

    // MARK: Changing

    @Test("6 and 7: changing and deleting") func changing() throws {
        let book = try emma
        book.title = "Persuasion"
        #expect(modelContext.hasChanges)
        try modelContext.save()
        #expect(!modelContext.hasChanges)
        modelContext.delete(book)
        try modelContext.save()
        #expect(try modelContext.fetchCount(FetchDescriptor<Book>()) == 2)
    }

    @Test("8: autosaving") func autosaving() {
        modelContext.autosaveEnabled = false
        #expect(!modelContext.autosaveEnabled)
    }

    @Test("9: rolling back") func rollingBack() throws {
        try emma.title = "Persuasion"
        modelContext.rollback()
        #expect(try emma.title == "Emma")
    }

    @Test("10: a transaction") func aTransaction() throws {
        try modelContext.transaction {
            modelContext.insert(Author(name: "Austen"))
            modelContext.insert(Author(name: "Stoker"))
        }
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 2)
    }

    @Test("11: deleting by a predicate") func deletingByPredicate() throws {
        try modelContext.delete(model: Book.self, where: #Predicate { $0.pages > 100 })
        #expect(try modelContext.fetchCount(FetchDescriptor<Book>()) == 1)
        modelContext.rollback()
        #expect(try modelContext.fetchCount(FetchDescriptor<Book>()) == 3)
        try modelContext.delete(model: Book.self)
        try modelContext.save()
        #expect(try modelContext.fetchCount(FetchDescriptor<Book>()) == 0)
    }

    @Test("12 to 14: relationships as arrays") func relationships() throws {
        let author = Author(name: "Austen")
        modelContext.insert(author)
        author.books.append(try emma)
        #expect(try emma.author === author)
        author.books += [Book(title: "Persuasion")]
        #expect(author.books.sorted { $0.title < $1.title }.map(\.title) == ["Emma", "Persuasion"])
        author.books = author.books.filter { $0.title != "Emma" }
        #expect(try emma.author == nil && author.books.count == 1)
        author.books.removeAll()
        #expect(author.books.isEmpty)
        try modelContext.save()
    }

    // MARK: Fetching

    @Test("15 to 17: a predicate, an order, a limit") func fetching() throws {
        let minimum: Int64 = 100
        var descriptor = FetchDescriptor<Book>(
            predicate: #Predicate { $0.pages > minimum && $0.title.contains("a") },
            sortBy: [SortDescriptor(\.pages, order: .reverse), SortDescriptor(\.title)])
        #expect(try modelContext.fetch(descriptor).map(\.title) == ["Emma", "Dracula"])
        descriptor.fetchLimit = 1
        descriptor.fetchOffset = 1
        #expect(try modelContext.fetch(descriptor).map(\.title) == ["Dracula"])
    }

    @Test("18: an order as people expect it") func localizedOrder() throws {
        modelContext.insert(Book(title: "beowulf 10"))
        modelContext.insert(Book(title: "Beowulf 9"))
        let descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title, comparator: .localizedStandard)])
        let expected = ["Beowulf", "Beowulf 9", "beowulf 10", "Dracula", "Emma"]
        #expect(try modelContext.fetch(descriptor).map(\.title) == expected)
        try modelContext.save()
        #expect(try modelContext.fetch(descriptor).map(\.title) == expected)
        let reversed = FetchDescriptor<Book>(
            sortBy: [SortDescriptor(\.summary, comparator: .localized), SortDescriptor(\.title, order: .reverse)])
        #expect(try modelContext.fetch(reversed).map(\.title).first == "beowulf 10")
    }

    @Test("19 and 20: counts and identifiers") func counts() throws {
        let descriptor = FetchDescriptor<Book>(predicate: #Predicate { $0.pages < 100 })
        #expect(try modelContext.fetchCount(descriptor) == 1)
        let identifiers = try modelContext.fetchIdentifiers(FetchDescriptor<Book>())
        #expect(identifiers.count == 3)
        #expect(try identifiers.contains(emma.persistentModelID))
    }

    @Test("21 and 22: hints") func hints() throws {
        var descriptor = FetchDescriptor<Book>()
        descriptor.propertiesToFetch = [\.title]
        descriptor.relationshipKeyPathsForPrefetching = [\.author]
        #expect(try modelContext.fetch(descriptor).count == 3)
    }

    @Test("23: many objects") func manyObjects() throws {
        var titles: Set<String> = []
        try modelContext.enumerate(FetchDescriptor<Book>(), batchSize: 2) { titles.insert($0.title) }
        #expect(titles == ["Beowulf", "Dracula", "Emma"])
    }

    @Test("24 to 26: objects by identifier") func identifiers() throws {
        let identifier = try emma.persistentModelID
        #expect(modelContext.registeredModel(for: identifier) as Book? === (try emma))
        let found = try ModelContext(container).model(for: identifier) as? Book
        #expect(found?.title == "Emma")
        let kept = try JSONEncoder().encode(identifier)
        #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: kept) == identifier)
    }

    // MARK: Isolation

    @Test("27: an actor") func anActor() async throws {
        actor Importer: ModelActor {
            nonisolated let modelExecutor: any ModelExecutor
            nonisolated let modelContainer: ModelContainer

            init(modelContainer: ModelContainer) {
                let modelContext = ModelContext(modelContainer)
                self.modelExecutor = DefaultSerialModelExecutor(modelContext: modelContext)
                self.modelContainer = modelContainer
            }

            func add(_ name: String) throws {
                modelContext.insert(Author(name: name))
                try modelContext.save()
            }
        }
        try await Importer(modelContainer: container).add("Woolf")
        #expect(try modelContext.fetch(FetchDescriptor<Author>()).map(\.name) == ["Woolf"])
    }

    // MARK: History

    @Test("28 and 29: what changed") func history() throws {
        let library = try Library(options: StoreOptions(historyTracking: true))
        let token = try library.container.currentHistoryToken()
        let wells = Author(name: "Wells")
        library.context.insert(wells)
        let book = try #require(try library.book("Beowulf"))
        book.isbn = "978-0"
        try library.context.save()
        library.context.delete(book)
        try library.context.save()
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        descriptor.predicate = #Predicate { $0.token > token }
        let transactions = try library.context.fetchHistory(descriptor)
        #expect(transactions.count == 2)
        var inserted: [PersistentIdentifier] = []
        var tombstones: [String?] = []
        for change in transactions.flatMap(\.changes) {
            switch change {
            case .insert(let insert as DefaultHistoryInsert<Author>):
                inserted.append(insert.changedPersistentIdentifier)
            case .delete(let delete as DefaultHistoryDelete<Book>):
                tombstones.append(delete.tombstone[\.isbn])
            default: break
            }
        }
        #expect(inserted == [wells.persistentModelID] && tombstones == ["978-0"])
        try library.context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(try library.context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
    }
}
