import Ashlar
import Foundation
import Testing

/// Stores as files.
@Suite struct StoreTests {
    @Test func aStoreIsOpenedAgain() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "Library.store")
        do {
            let context = ModelContext(try ModelContainer(for: LibraryModel.self, at: url))
            context.insert(Book(title: "Beowulf"))
            try context.save()
        }
        let container = try ModelContainer(for: LibraryModel.self, at: url)
        #expect(try ModelContext(container).fetchCount(Book.all) == 1)
        #expect(try container.integrityProblems().isEmpty)
    }

    @Test func inMemory() throws {
        let container = try ModelContainer(
            for: LibraryModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        #expect(try ModelContext(container).fetchCount(Book.all) == 0)
    }

    @Test func metadata() throws {
        let library = try Library()
        try library.container.setMetadata("blue", forKey: "colour")
        let metadata = try ModelContainer.metadata(ofStoreAt: library.container.configuration.url)
        #expect(metadata.values["colour"] == "blue")
        #expect(metadata.isCurrent(for: LibraryModel.self))
    }

    @Test func copiesAndRemovals() throws {
        let library = try Library()
        let (copy, moved) = (
            library.folder.url.appending(path: "Copy.store"), library.folder.url.appending(path: "B.store")
        )
        try library.container.backUp(to: copy)
        try ModelContainer.moveStore(from: copy, to: moved)
        #expect(throws: StoreError.self) { try ModelContainer.moveStore(from: copy, to: moved) }
        #expect(try ModelContext(ModelContainer(for: LibraryModel.self, at: moved)).fetchCount(Book.all) == 5)
        try ModelContainer.destroyStore(at: moved)
        #expect(!FileManager.default.fileExists(atPath: moved.path))
        #expect(throws: StoreError.self) { try ModelContainer.destroyStore(at: library.container.configuration.url) }
        #expect(try library.container.checkpoint(.truncate).isComplete)
    }

    @Test func suspension() throws {
        let library = try Library()
        let context = library.context
        context.insert(Author(name: "Wells"))
        try library.container.suspend()
        #expect(library.container.isSuspended)
        #expect {
            try context.save()
        } throws: {
            if case StoreError.suspended(library.container.configuration.url) = $0 { true } else { false }
        }
        try library.container.resume()
        try context.save()
        #expect(try ModelContext(library.container).fetchCount(Author.where { $0.name == "Wells" }) == 1)
    }

    @Test func aSuspendedStoreIsRestored() throws {
        let library = try Library()
        let (container, context) = (library.container, library.context)
        let url = container.configuration.url
        let night = library.folder.url.appending(path: "Night.store")
        try container.backUp(to: night)
        let controller = FetchedResultsController(Book.where { $0.pages > 1000 }, in: context)
        try controller.performFetch()
        let book = try #require(try library.book("Beowulf"))
        book.pages = 5000
        context.insert(Book(title: "New"))
        try context.save()
        #expect(controller.fetchedObjects.map(\.title) == ["Beowulf"])
        #expect(throws: StoreError.self) { try ModelContainer.replaceStore(at: url, withStoreFrom: night) }
        try container.suspend()
        try ModelContainer.replaceStore(at: url, withStoreFrom: night)
        try container.resume()
        #expect(try ModelContext(container).fetchCount(Book.all) == 5)
        #expect(try context.fetchCount(Book.all) == 5)
        #expect(try context.fetch(Book.where { $0.title == "Beowulf" }).map(\.pages) == [90])
        #expect(book.pages == 90)
        context.processPendingChanges()
        #expect(controller.fetchedObjects.isEmpty)
        book.pages = 91
        context.insert(Book(title: "After"))
        try context.save()
        #expect(try library.saved("Beowulf")?.pages == 91)
        #expect(try container.integrityProblems().isEmpty)
    }

    @Test func anotherStoreInTheSuspendedStoresPlaceIsRefused() throws {
        let (library, other) = (try Library(), try Library(isEmpty: true))
        let url = library.container.configuration.url
        let own = library.folder.url.appending(path: "Own.store")
        try library.container.backUp(to: own)
        try library.container.suspend()
        try ModelContainer.replaceStore(at: url, withStoreFrom: other.container.configuration.url)
        #expect {
            try library.container.resume()
        } throws: {
            if case StoreError.removedWhileOpen = $0 { true } else { false }
        }
        try ModelContainer.replaceStore(at: url, withStoreFrom: own)
        try library.container.resume()
        #expect(try library.context.fetchCount(Book.all) == 5)
    }

    @Test func aSuspendedStoreIsDestroyed() throws {
        let library = try Library()
        let url = library.container.configuration.url
        try library.container.suspend()
        try ModelContainer.destroyStore(at: url)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        #expect(throws: StoreError.self) { try library.container.resume() }
        #expect(try ModelContext(ModelContainer(for: LibraryModel.self, at: url)).fetchCount(Book.all) == 0)
    }

    @Test func aStoreIsDestroyedRightAfterItsLiveQuery() throws {
        let folder = try TemporaryFolder()
        for number in 0..<50 {
            let url = folder.url.appending(path: "\(number).store")
            do {
                let context = ModelContext(try ModelContainer(for: LibraryModel.self, at: url))
                let controller = FetchedResultsController(Book.all, in: context)
                try controller.performFetch()
                context.insert(Book(title: "Beowulf"))
                try context.save()
                #expect(controller.fetchedObjects.count == 1)
            }
            try ModelContainer.destroyStore(at: url)
        }
    }

    @Test func aReaderChangesNothingOfTheStore() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "Library.store")
        do {
            let context = ModelContext(try ModelContainer(for: LibraryModel.self, at: url))
            context.insert(Book(title: "Beowulf"))
            try context.save()
        }
        let before = try Data(contentsOf: url)
        do {
            let configuration = ModelConfiguration(url: url, allowsSave: false)
            let container = try ModelContainer(for: LibraryModel.self, configurations: configuration)
            #expect(try ModelContext(container).fetchCount(Book.all) == 1)
        }
        #expect(try Data(contentsOf: url) == before)
        // SQLite's own files have no changes left, and a program that writes removes them.
        let log = try? Data(contentsOf: URL(fileURLWithPath: url.path + "-wal"))
        #expect(log?.isEmpty ?? true)
        _ = try ModelContainer(for: LibraryModel.self, at: url)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["Library.store"])
    }

    @Test func readOnly() throws {
        let library = try Library()
        let configuration = ModelConfiguration(url: library.container.configuration.url, allowsSave: false)
        let context = ModelContext(try ModelContainer(for: LibraryModel.self, configurations: configuration))
        #expect(try context.fetchCount(Book.all) == 5)
        context.insert(Author(name: "Wells"))
        #expect(throws: (any Error).self) { try context.save() }
    }

    @Test func statementsAreTold() async throws {
        let library = try Library()
        let context = library.context
        context.statementCount = 0
        _ = try context.fetch(Book.all)
        #expect(context.statementCount == 1)
        let (statements, continuation) = AsyncStream.makeStream(of: String.self)
        context.statementObserver = StatementObserver(level: .statements) { continuation.yield($0.sql) }
        _ = try context.fetch(Book.all)
        #expect(await statements.first { _ in true }?.contains("FROM \"Book\"") == true)
    }
}
