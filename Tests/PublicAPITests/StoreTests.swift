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
