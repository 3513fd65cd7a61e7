import Foundation
import Testing

@testable import Ashlar

/// Stores that are created, incomplete, created by several containers at once, and opened again.
@Suite struct CreationTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var url: URL { folder.file() }

    @Test func aNewStoreIsClosedToOneFile() throws {
        do {
            let context = ModelContext(try ModelContainer(for: TortureModel.self, at: url))
            context.insert(Label(name: "a"))
            try context.save()
            #expect(try context.container.text("PRAGMA journal_mode") == "wal")
            #expect(try context.container.integer("PRAGMA application_id") == 0x4173_686C)
        }
        #expect(try folder.contents().keys.sorted() == ["test.store"])
        let container = try ModelContainer(for: TortureModel.self, at: url)
        #expect(try ModelContext(container).fetch(Label.all).map(\.name) == ["a"])
        try container.expectSound()
    }

    @Test func theIdentifierStays() throws {
        let first = try ModelContainer(for: TortureModel.self, at: url).storeIdentifier
        #expect(try ModelContainer(for: TortureModel.self, at: url).storeIdentifier == first)
        #expect(try memoryContainer().storeIdentifier != first)
    }

    @Test func anEmptyFileBecomesAStore() throws {
        try Data().write(to: url)
        #expect(try ModelContext(ModelContainer(for: TortureModel.self, at: url)).fetchCount(Label.all) == 0)
    }

    /// A process that was killed while it created the store left a database without tables.
    @Test func aStoreThatWasNotFinished() throws {
        try ForeignDatabase.make(at: url, "PRAGMA journal_mode = WAL")
        #expect(try Data(contentsOf: url).count > 0)
        let container = try ModelContainer(for: TortureModel.self, at: url)
        #expect(try ModelContext(container).fetchCount(Label.all) == 0)
    }

    /// The metadata and all data may be in the write-ahead log only.
    @Test func aStoreWhoseProcessWasKilled() throws {
        let elsewhere = try TemporaryFolder()
        let context = ModelContext(try ModelContainer(for: TortureModel.self, at: elsewhere.file("living.db")))
        context.insert(Label(name: "committed"))
        try context.save()
        try ForeignDatabase.copyFiles(of: elsewhere.file("living.db"), to: url)
        let container = try ModelContainer(for: TortureModel.self, at: url)
        #expect(try ModelContext(container).fetch(Label.all).map(\.name) == ["committed"])
        #expect(container.storeIdentifier == context.container.storeIdentifier)
        try container.expectSound()
    }

    @Test func severalAtOnce() async throws {
        for round in 0..<5 {
            let url = folder.file("\(round).store")
            let identifiers = try await withThrowingTaskGroup(of: String.self) { group in
                for index in 0..<6 {
                    group.addTask {
                        let container = try ModelContainer(for: TortureModel.self, at: url)
                        let context = ModelContext(container)
                        context.insert(Label(name: "\(index)"))
                        try context.save()
                        return container.storeIdentifier
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(identifiers.count == 1)
            let container = try ModelContainer(for: TortureModel.self, at: url)
            #expect(try ModelContext(container).fetchCount(Label.all) == 6)
            try container.expectSound()
        }
    }

    @Test("rows 48, 173: stores in memory are apart") func storesInMemoryAreApart() throws {
        let first = try memoryContext()
        first.insert(Label(name: "a"))
        try first.save()
        #expect(try memoryContext().fetchCount(Label.all) == 0)
        #expect(try ModelContext(first.container).fetchCount(Label.all) == 1)
    }
}
