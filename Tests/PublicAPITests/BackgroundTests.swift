import Ashlar
import Testing

/// Work on other tasks and in actors.
@Suite struct BackgroundTests {
    /// A service of the program's own.
    private actor Importer: ModelActor {
        nonisolated let modelContainer: ModelContainer
        nonisolated let modelExecutor: any ModelExecutor

        init(modelContainer: ModelContainer) {
            self.modelContainer = modelContainer
            modelExecutor = DefaultSerialModelExecutor(modelContainer: modelContainer)
        }

        func add(_ title: String) throws -> PersistentIdentifier {
            let book = Book(title: title)
            modelContext.insert(book)
            try modelContext.save()
            return book.persistentModelID
        }

        func title(of identifier: PersistentIdentifier) -> String? { self[identifier, as: Book.self]?.title }
    }

    @Test func identifiersGoAnywhere() async throws {
        let library = try Library()
        let identifier = try #require(try library.book("Beowulf")).persistentModelID
        let background = library.container.newBackgroundContext()
        try await background.perform { context in
            let book: Book = try context.model(for: identifier)
            book.pages += 1
            try context.save()
        }
        #expect(try library.saved("Beowulf")?.pages == 91)
        let pages = try background.performAndWait {
            try $0.fetchValues(Book.where { $0.title == "Beowulf" }).map(\.pages)
        }
        #expect(pages == [91])
    }

    @Test func onePieceOfWork() async throws {
        let library = try Library()
        let count = try await library.container.performBackgroundTask { context in
            context.insert(Author(name: "Wells"))
            try context.save()
            return try context.fetchCount(Author.all)
        }
        #expect(count == 3)
    }

    @Test func anActorHasAContext() async throws {
        let library = try Library()
        let importer = Importer(modelContainer: library.container)
        let identifier = try await importer.add("The Time Machine")
        #expect(await importer.title(of: identifier) == "The Time Machine")
        #expect(try library.book("The Time Machine")?.persistentModelID == identifier)
    }

    @Test func valuesCrossToAnyTask() async throws {
        let library = try Library()
        let values = try #require(try library.book("Beowulf")).values
        let title = await Task.detached { values.title }.value
        #expect(title == "Beowulf")
    }

    @Test func aContextStaysAtOneState() throws {
        let library = try Library()
        try library.context.setQueryGeneration(from: .current)
        #expect(try library.context.fetchCount(Book.all) == 5)
        let other = ModelContext(library.container)
        other.insert(Book(title: "News"))
        try other.save()
        #expect(try library.context.fetchCount(Book.all) == 5)
        try library.context.setQueryGeneration(from: nil)
        #expect(try library.context.fetchCount(Book.all) == 6)
    }

    @Test func lastingIdentifiersComeBeforeTheSave() throws {
        let library = try Library()
        let book = Book(title: "Later")
        library.context.insert(book)
        try library.context.obtainPermanentIdentifiers(for: [book])
        let identifier = book.persistentModelID
        try library.context.save()
        #expect(
            try ModelContext(library.container).fetchIdentifiers(Book.where { $0.title == "Later" }) == [identifier])
    }
}
