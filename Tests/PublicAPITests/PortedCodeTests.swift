import Ashlar
import Foundation
import Testing

/// Code in the spelling of SwiftData and Core Data.
struct PortedCodeTests {
    // MARK: SwiftData

    @Test func aContainerOfClasses() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        let container = try ModelContainer(for: Book.self, Author.self, configurations: memory)
        #expect(container.model.name == "Library")
        let schema = Schema([Book.self, Loan.self])
        let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
        let other = try ModelContainer(for: schema, configurations: [configuration])
        let context = ModelContext(other)
        context.insert(Author(name: "Verne"))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Author>()) == 1)
        #expect(throws: StoreError.self) { try ModelContainer(for: Schema([]), configurations: [configuration]) }
    }

    @Test func anObjectOfAnyClass() throws {
        let library = try Library()
        let identifier = try #require(try library.book("Beowulf")).persistentModelID
        let book = try ModelContext(library.container).model(for: identifier) as? Book
        #expect(book?.title == "Beowulf")
        let typed: Book = try library.context.model(for: identifier)
        #expect(typed.title == "Beowulf")
        #expect(throws: StoreError.self) {
            library.context.delete(typed)
            _ = try library.context.model(for: identifier) as? Book
        }
    }

    @Test func hintsForAFetch() throws {
        let library = try Library()
        var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
        descriptor.propertiesToFetch = [\.title]
        descriptor.relationshipKeyPathsForPrefetching = [\.author, \.loans]
        #expect(descriptor.propertiesToFetch == [\.title])
        #expect(descriptor.relationshipKeyPathsForPrefetching == [\.author, \.loans])
        let plain = Book.all.prefetch { $0.author }.prefetch { $0.loans }
        #expect(descriptor.prefetchedRelationships == plain.prefetchedRelationships)
        let context = ModelContext(library.container)
        let books = try context.fetch(descriptor)
        #expect(books.map(\.author?.name) == [nil, "Shelley", "Verne", "Shelley", "Verne"])
    }

    @Test func aRelationshipIsFilteredInPlace() throws {
        let library = try Library()
        let verne = try #require(try library.context.fetch(Author.where { $0.name == "Verne" }).first)
        verne.books = verne.books.filter { $0.year != 1872 }
        #expect(verne.books.map(\.title) == ["Vingt mille lieues"])
        let tour = try #require(try library.book("Le tour du monde"))
        #expect(tour.author == nil)
        verne.books += [tour]
        #expect(tour.author === verne)
        let shelley = try #require(try library.context.fetch(Author.where { $0.name == "Shelley" }).first)
        shelley.books = shelley.books + [tour]
        #expect(tour.author === shelley && shelley.books.count == 3)
        let titles: [Book] = shelley.books.filter { $0.pages > 300 }
        #expect(titles.count == 1)
    }

    @Test func aStoreIsErased() throws {
        let library = try Library()
        let other = ModelContext(library.container)
        other.automaticallyMergesChangesFromParent = true
        let books = try other.fetch(Book.all)
        let list = ReadingList(title: "l")
        library.context.insert(list)
        list.books = ToMany(try library.context.fetch(Book.all))
        try library.context.save()
        try library.container.deleteAllData()
        other.processPendingChanges()
        #expect(books.allSatisfy { $0.modelContext == nil })
        #expect(try other.fetchCount(Book.all) == 0 && other.fetchCount(Author.all) == 0)
        #expect(try other.fetchCount(ReadingList.all) == 0)
        other.insert(Author(name: "Verne"))
        try other.save()
        try library.container.erase()
        #expect(try ModelContext(library.container).fetchCount(Author.all) == 0)
    }

    // MARK: Core Data

    @Test func nullIsAStoreInMemory() throws {
        let configuration = ModelConfiguration(url: URL(fileURLWithPath: "/dev/null"))
        #expect(configuration.isStoredInMemoryOnly)
        let container = try ModelContainer(for: LibraryModel.self, configurations: configuration)
        #expect(try ModelContext(container).fetchCount(Book.all) == 0)
        #expect(!ModelConfiguration(url: URL(fileURLWithPath: "/tmp/null")).isStoredInMemoryOnly)
        let direct = try ModelContainer(for: LibraryModel.self, at: URL(fileURLWithPath: "/dev/null"))
        #expect(try ModelContext(direct).fetchCount(Book.all) == 0)
    }

    @Test func numbersByNameAreConverted() throws {
        let library = try Library()
        let book = try #require(try library.book("Beowulf"))
        try book.setValue(95, forKeyPath: "pages")
        #expect(book.pages == 95)
        try book.setValue(96.0, forKeyPath: "pages")
        #expect(book.pages == 96)
        try book.setValue(NSNumber(value: 97), forKeyPath: "pages")
        #expect(book.pages == 97)
        try book.setValue(2, forKeyPath: "price")
        #expect(book.price == 2)
        try book.setValue(2.35, forKeyPath: "price")
        #expect(book.price == Decimal(string: "2.35"))
        try book.setValue(Int16(1000), forKeyPath: "year")
        #expect(book.year == 1000)
        try book.setValue("de", forKeyPath: "language")
        #expect(book.language == .de)
        let loan = Loan(borrower: "Ann", book: book)
        library.context.insert(loan)
        try loan.setValue(1, forKeyPath: "returned")
        #expect(loan.returned)
        for value: Any in [2.5, "2", UInt64.max, Double.nan] {
            #expect(throws: PropertyError.self) { try book.setValue(value, forKeyPath: "pages") }
        }
        #expect(throws: PropertyError.self) { try loan.setValue(2, forKeyPath: "returned") }
        #expect(throws: PropertyError.self) { try book.setValue("xx", forKeyPath: "language") }
        #expect(book.pages == 97 && loan.returned)
    }

    @Test func dictionariesHaveTheTypesOfTheModel() throws {
        let library = try Library()
        let book = try #require(try library.book("Frankenstein"))
        book.shelf = Shelf(number: 3, room: "B")
        book.author?.penNames = ["a", "b"]
        try library.context.save()
        let rows = try library.context.fetchDictionaries(Book.where { $0.title == "Frankenstein" })
        let row = try #require(rows.first)
        #expect(row["pages"] as? Int64 == 280)
        #expect(row["price"] as? Decimal == 9.5)
        #expect(row["added"] as? Date == Date(timeIntervalSinceReferenceDate: 0))
        #expect(row["language"] as? Language == .en)
        #expect(row["year"] as? Int64 == 1818)
        #expect(row["isbn"] == nil && !row.keys.contains("isbn"))
        #expect(row["shelf.room"] as? String == "B")
        let related = try library.context.fetchDictionaries(
            Book.where { $0.title == "Frankenstein" }, properties: ["author", "author.name", "author.penNames"])
        #expect(related.first?["author"] as? PersistentIdentifier == book.author?.persistentModelID)
        #expect(related.first?["author.name"] as? String == "Shelley")
        #expect(related.first?["author.penNames"] as? [String] == ["a", "b"])
        let sums = try library.context.fetchDictionaries(
            Book.all,
            properties: [
                .aggregate(.count, "title", as: "count"), .aggregate(.sum, "pages", as: "pages"),
                .aggregate(.sum, "price", as: "price"), .aggregate(.average, "pages", as: "mean"),
                .aggregate(.maximum, "language", as: "last"), .aggregate(.minimum, "added", as: "first"),
            ])
        #expect(sums.first?["count"] as? Int == 5)
        #expect(sums.first?["pages"] as? Int64 == 1140)
        #expect(sums.first?["price"] as? Decimal == Decimal(string: "44.75"))
        #expect(sums.first?["mean"] as? Double == 228)
        #expect(sums.first?["last"] as? Language == .fr)
        #expect(sums.first?["first"] as? Date == Date(timeIntervalSinceReferenceDate: 0))
        // With unsaved changes, the values are read in memory.
        book.pages = 281
        let changed = try library.context.fetchDictionaries(Book.where { $0.pages == 281 })
        #expect(changed.first?["language"] as? Language == .en && changed.first?["pages"] as? Int64 == 281)
    }

    @Test func aTouchedObjectIsSavedAndToldOf() throws {
        let library = try Library()
        let other = ModelContext(library.container)
        other.automaticallyMergesChangesFromParent = true
        let results = FetchedResultsController(Book.order { $0.title }, in: other)
        try results.performFetch()
        let log = Updates()
        results.delegate = log
        let book = try #require(try library.book("Beowulf"))
        library.context.touch(book)
        #expect(library.context.hasChanges && book.hasChanges)
        #expect(book.changedProperties.isEmpty)
        try library.context.save()
        #expect(!library.context.hasChanges)
        other.processPendingChanges()
        #expect(log.titles == ["Beowulf"])
        // A context that read the row earlier has an older version, and may not overwrite the row unseen.
        library.context.touch(book)
        library.context.rollback()
        #expect(!library.context.hasChanges)
        try library.context.save()
        other.processPendingChanges()
        #expect(log.titles == ["Beowulf"])
        let detached = Book(title: "none")
        library.context.touch(detached)
        #expect(!library.context.hasChanges)
    }

    @Test func aTouchGoesThroughAParent() throws {
        let library = try Library()
        let child = ModelContext(parent: library.context)
        let book = try #require(try child.fetch(Book.where { $0.title == "Beowulf" }).first)
        child.touch(book)
        try child.save()
        #expect(library.context.changedModelsArray.count == 1)
    }

    @Test func aControllerIsReplaced() throws {
        let library = try Library()
        let real = FetchedResultsController(Book.order { $0.title }, in: library.context)
        try real.performFetch()
        let stub = StubbedResults(try library.context.fetch(Book.where { $0.title == "Beowulf" }))
        for (results, count) in [(real as any FetchedResultsControlling<Book, Never>, 5), (stub, 1)] {
            #expect(results.count == count && results.fetchedObjects.first?.title == "Beowulf")
            #expect(results.sections.first?.first?.title == "Beowulf")
        }
    }

    @Test func anObjectIsPrinted() throws {
        let library = try Library()
        let context = ModelContext(library.container)
        let book = try #require(try context.fetch(Book.where { $0.title == "Frankenstein" }).first)
        let author = try #require(book.author)
        let number = book.persistentModelID.rowID
        #expect(
            "\(book)" == """
                Book p\(number): added: \(Date(timeIntervalSinceReferenceDate: 0)), author: p\(author.persistentModelID.rowID) \
                of Author, isbn: nil, language: en, lists: …, loans: …, pages: 280, price: 9.5, shelf: nil, summary: nil, \
                title: "Frankenstein", year: 1818
                """)
        book.title = "A \"quoted\"\u{1B}[31m line\n"
        #expect(String(describing: book).contains(#"title: "A \"quoted\"\u{1B}[31m line\n""#))
        #expect("\(book)".hasPrefix("Book p\(number) (changed): "))
        #expect("\(Author(name: "x"))".hasSuffix(" (in no context): books: 0, name: \"x\", penNames: nil"))
        context.delete(book)
        #expect("\(book)".contains("(to be deleted)"))
    }
}

private final class Updates: FetchedResultsControllerDelegate {
    var titles: [String] = []

    func controller(
        _ controller: FetchedResultsController<Book, Never>,
        didChange object: FetchedResultsChanges<Book, Never>.ObjectChange
    ) {
        if object.kind == .update { titles.append(object.object.title) }
    }
}

/// A replacement for a controller in tests of a screen.
private final class StubbedResults: FetchedResultsControlling {
    var fetchDescriptor = Book.all
    weak var delegate: (any FetchedResultsControllerDelegate<Book, Never>)?
    let fetchedObjects: [Book]

    init(_ books: [Book]) { fetchedObjects = books }

    var count: Int { fetchedObjects.count }
    var sections: [FetchedResultsSection<Book, Never>] { [FetchedResultsSection(name: nil, objects: fetchedObjects)] }
    var snapshot: FetchedResultsSnapshot<Never> { FetchedResultsSnapshot(sections: []) }

    func performFetch() {}

    func object(at indexPath: IndexPath) -> Book? { fetchedObjects[indexPath[1]] }

    func indexPath(for object: Book) -> IndexPath? { nil }
}
