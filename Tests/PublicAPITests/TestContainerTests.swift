import Ashlar
import AshlarTesting
import Foundation
import Testing

/// Containers that a test makes in a line.
struct TestContainerTests {
    @Test func oneInMemoryHasNoFile() throws {
        let container = try ModelContainer.inMemory(for: LibraryModel.self)
        #expect(container.configuration.isStoredInMemoryOnly)
        let context = ModelContext(container)
        context.insert(Author(name: "Verne"))
        try context.save()
        #expect(try ModelContext(try .inMemory(for: LibraryModel.self)).fetchCount(Author.all) == 0)
    }

    @Test func oneOnDiskRemovesItselfWithTheLastWhoUsesIt() throws {
        var container: ModelContainer? = try ModelContainer.temporary(for: LibraryModel.self) {
            $0.options.historyTracking = true
        }
        let url = try #require(container?.configuration.url)
        let folder = url.deletingLastPathComponent()
        var context: ModelContext? = try ModelContext(#require(container))
        context?.insert(Author(name: "Verne"))
        try context?.save()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count > 1, "a log beside the store")
        container = nil
        #expect(try context?.fetchCount(Author.all) == 1)
        #expect(FileManager.default.fileExists(atPath: url.path))
        context = nil
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func itIsGoneWhenTheTestThrows() throws {
        struct Stop: Error {}
        var folder: URL?
        #expect(throws: Stop.self) {
            let container = try ModelContainer.temporary(for: LibraryModel.self)
            folder = container.configuration.url.deletingLastPathComponent()
            #expect(FileManager.default.fileExists(atPath: container.configuration.url.path))
            throw Stop()
        }
        #expect(try !FileManager.default.fileExists(atPath: #require(folder).path))
    }

    @MainActor @Test func theMainContextDoesNotKeepIt() throws {
        var container: ModelContainer? = try ModelContainer.temporary(for: LibraryModel.self)
        let folder = try #require(container?.configuration.url.deletingLastPathComponent())
        #expect(try container?.mainContext.fetchCount(Author.all) == 0)
        container = nil
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
}
