import Ashlar
import AshlarTesting
import Foundation
import Testing

/// The migration stage that the program implements.
enum LibraryMigrations: SchemaMigrationPlan {
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: LibraryModel.Version1.self, toVersion: LibraryModel.Version2.self,
                transforms: [
                    ValuesTransform(LibraryModel.Version1.Book.self, LibraryModel.Version2.Book.self) { old, new in
                        new.summary = "\(old.name), \(old.pages) pages"
                    }
                ])
        ]
    }
}

/// Stores of the first version.
@Suite struct MigrationTests {
    private static let path = "Tests/PublicAPITests/Models/Library.xcdatamodeld"

    @Test(arguments: try MigrationPair.all(of: LibraryModel.self, modelAt: path))
    func migrates(_ pair: MigrationPair) throws {
        try pair.check(with: LibraryMigrations.self, changing: ["Book.summary"])
    }

    @Test func whatTheStageMakesOfThem() throws {
        let store = try OlderStore(of: LibraryModel.self, modelAt: Self.path, version: "Library")
        let context = ModelContext(try store.migrated(with: LibraryMigrations.self, changing: ["Book.summary"]))
        let books = try context.fetch(Book.all)
        #expect(books.count == 20)
        for book in books { #expect(book.summary == "\(book.title), \(book.pages) pages") }
    }

    @Test func openingIsWhatMigrates() throws {
        let store = try OlderStore(of: LibraryModel.self, modelAt: Self.path, version: "Library")
        #expect(throws: StoreError.self, "the stage is missing") {
            try ModelContainer(for: LibraryModel.self, at: store.url)
        }
        var options = MigrationOptions()
        options.plan = LibraryMigrations.self
        let planned = try ModelContainer.plannedMigration(
            ofStoreAt: store.url, for: LibraryModel.self, options: options)
        #expect(planned.steps.map(\.destination) == ["Library 2"])
        let container = try ModelContainer(
            for: LibraryModel.self, migrationPlan: LibraryMigrations.self,
            configurations: ModelConfiguration(url: store.url))
        #expect(try container.migrationHistory().map(\.destination) == ["Library 2"])
        #expect(try ModelContext(container).fetchCount(Book.all) == 20)
    }

    @Test func progressIsTold() async throws {
        let store = try OlderStore(of: LibraryModel.self, modelAt: Self.path, version: "Library")
        var configuration = ModelConfiguration(url: store.url)
        configuration.migration.plan = LibraryMigrations.self
        let (fractions, continuation) = AsyncStream.makeStream(of: Double.self)
        let container = try await ModelContainer(opening: LibraryModel.self, configurations: configuration) {
            progress in
            continuation.yield(progress.fractionCompleted)
        }
        continuation.finish()
        var last = 0.0
        for await fraction in fractions {
            #expect(fraction >= last)
            last = fraction
        }
        #expect(last > 0)
        #expect(try container.isHistoryTracked() == false)
    }
}
