import AshlarSQLite
import Foundation
import Testing
import ThreadTraits

@_spi(Generated) @testable import Ashlar

/// A later version of the model `Attic`, as a newer release of a program would have it: `Item.name` is called `title`, and
/// `name` is another attribute.
enum NewAttic {
    static let model: ModelDescription = {
        let old = AtticModel.modelDescription
        let schema = old.schema.map { statement in
            statement.hasPrefix("CREATE TABLE \"Item\"")
                ? statement.replacing(
                    "\"name\" TEXT NOT NULL,", with: "\"name\" TEXT NOT NULL DEFAULT '',\n    \"title\" TEXT NOT NULL,")
                : statement
        }
        return ModelDescription(
            name: old.name, entities: old.entities, versions: old.versions + [version(old, entity: "Item")],
            schema: schema)
    }()

    /// A version whose statements change rows alone, and no schema.
    static let modelOfOtherRows: ModelDescription = {
        let old = AtticModel.modelDescription
        var version = Self.version(old, entity: "Item")
        version.migration = [.custom("UPDATE \"Item\" SET \"name\" = 'the name is ' || \"name\"")]
        return ModelDescription(
            name: old.name, entities: old.entities, versions: old.versions + [version], schema: old.schema)
    }()

    private static func version(_ old: ModelDescription, entity: String) -> ModelDescription.Version {
        ModelDescription.Version(
            name: "Attic 2", versionHash: "new", schemaHash: "new",
            entityHashes: (old.currentVersion?.entityHashes ?? "").split(separator: "\n").map {
                $0.hasPrefix("\(entity) ") ? "\(entity) new" : String($0)
            }.joined(separator: "\n"),
            migration: [
                .renameColumn("name", of: "Item", to: "title"),
                .addColumn("\"name\" TEXT NOT NULL DEFAULT ''", to: "Item"),
            ])
    }

    /// Opens a store as the newer program would, which migrates it.
    @discardableResult
    static func open(
        _ url: URL, _ model: ModelDescription = model, monitor: MigrationMonitor = MigrationMonitor()
    ) throws -> StoreOpener.Opened {
        try StoreOpener(model: model, configuration: ModelConfiguration(url: url), monitor: monitor).open()
    }
}

/// Other programs migrate a store that a container has open, or remove its file.
@Suite struct StoreWatchTests {
    private let folder: TemporaryFolder
    private let url: URL

    init() throws {
        folder = try TemporaryFolder()
        url = folder.file()
    }

    private func open(_ options: StoreOptions = StoreOptions()) throws -> ModelContainer {
        try ModelContainer(for: AtticModel.self, configurations: ModelConfiguration(url: url, options: options))
    }

    private func makeItems(_ container: ModelContainer) throws -> ModelContext {
        let context = ModelContext(container)
        for index in 0..<5 { context.insert(Item(counts: [], name: "item \(index)")) }
        try context.save()
        return context
    }

    private func rows(_ sql: String = "SELECT * FROM Item") throws -> [[SQLiteValue]] {
        try ForeignDatabase.connect(url).rows(sql)
    }

    private func isMigrated(_ error: any Error) -> Bool {
        if case StoreError.migratedWhileOpen(url, "Attic 2") = error { true } else { false }
    }

    private func isRemoved(_ error: any Error) -> Bool {
        if case StoreError.removedWhileOpen(url) = error { true } else { false }
    }

    // MARK: Migrations

    /// All operations of a program on a store that it has open.
    enum Operation: String, CaseIterable {
        case insert, update, delete, batchInsert, batchUpdate, batchDelete, metadata, vacuum, identifiers, orphans
        case fetch, count, values, generation, metadataReading

        func run(_ context: ModelContext, _ items: [Item]) throws {
            let container = context.container
            switch self {
            case .insert:
                context.insert(Item(counts: [], name: "late"))
                try context.save()
            case .update:
                items[0].name = "late"
                try context.save()
            case .delete:
                context.delete(items[0])
                try context.save()
            case .batchInsert: try context.batchInsert(contentsOf: [Item.Values(counts: [], name: "late")])
            case .batchUpdate: try context.batchUpdate(Item.all) { $0.name = "late" }
            case .batchDelete: try context.batchDelete(Item.all)
            case .metadata: try container.setMetadata(1, forKey: "key")
            case .vacuum: try container.vacuum()
            case .identifiers:
                let item = Item(counts: [], name: "late")
                context.insert(item)
                try context.obtainPermanentIdentifiers(for: [item])
            case .orphans: try container.removeOrphanedExternalData()
            case .fetch: _ = try context.fetch(Item.all)
            case .count: _ = try context.fetchCount(Item.where { $0.name == "item 1" })
            case .values: _ = try context.fetchValues(Item.all)
            case .generation:
                try context.setQueryGeneration(from: .current)
                _ = try context.fetch(Item.all)
            case .metadataReading: _ = try container.metadata()
            }
        }
    }

    @Test(
        "a program that has a store open neither writes nor reads it once another has migrated it",
        arguments: Operation.allCases, [true, false])
    func aMigrationByAnotherProgram(_ operation: Operation, hasStatements: Bool) throws {
        let container = try open()
        let context = try makeItems(container)
        let items = try context.fetch(Item.order { $0.name.ascending })
        // Statements that were prepared before the migration, and statements that are prepared after it.
        if hasStatements { _ = (try context.fetchCount(Item.all), try container.metadata()) }
        try NewAttic.open(url)
        let before = try rows()
        #expect(before.count == 5)
        #expect { try operation.run(context, items) } throws: { isMigrated($0) }
        #expect(try rows() == before)
        // Later operations fail too.
        #expect { _ = try ModelContext(container).fetch(Item.all) } throws: { isMigrated($0) }
        #expect { try Operation.insert.run(ModelContext(container), items) } throws: { isMigrated($0) }
        #expect(try rows() == before)
    }

    @Test func aMigrationThatChangesRowsAlone() throws {
        let container = try open()
        let context = try makeItems(container)
        try NewAttic.open(url, NewAttic.modelOfOtherRows)
        let before = try rows()
        context.insert(Item(counts: [], name: "late"))
        #expect { try context.save() } throws: { isMigrated($0) }
        #expect { _ = try context.fetch(Item.all) } throws: { isMigrated($0) }
        #expect(try rows() == before)
    }

    /// At every moment of a migration, the old program reads the rows of before. Its saves are refused, or migrated
    /// with the others.
    @Test func atEveryMomentOfAMigration() throws {
        let container = try open(StoreOptions(busyTimeout: .milliseconds(2)))
        let context = try makeItems(container)
        let moments = Moments()
        let monitor = MigrationMonitor { _ in
            moments.count += 1
            do {
                let reader = ModelContext(container)
                let names = try reader.fetch(Item.all).map(\.name).filter { $0 != "early" }
                #expect(names.sorted() == (0..<5).map { "item \($0)" })
                reader.insert(Item(counts: [], name: "early"))
                try reader.save()
                moments.saved += 1
            } catch StoreError.locked {
                moments.refused += 1
            } catch {
                Issue.record(error)
            }
        }
        try NewAttic.open(url, monitor: monitor)
        #expect(moments.count > 2 && moments.refused > 0)
        let found = try rows("SELECT title, name FROM Item")
        #expect(found.count == 5 + moments.saved && found.allSatisfy { $0[1] == .text("") })
        context.insert(Item(counts: [], name: "late"))
        #expect { try context.save() } throws: { isMigrated($0) }
        #expect(try rows("SELECT title, name FROM Item") == found)
    }

    private final class Moments: @unchecked Sendable {
        var count = 0
        var saved = 0
        var refused = 0
    }

    @Test func aStateFromBeforeCanStillBeRead() throws {
        let container = try open()
        let context = try makeItems(container)
        let pinned = ModelContext(container)
        try pinned.setQueryGeneration(from: .current)
        #expect(try pinned.fetchCount(Item.all) == 5)
        try NewAttic.open(url)
        #expect(try pinned.fetch(Item.all).map(\.name).sorted() == (0..<5).map { "item \($0)" })
        #expect { _ = try context.fetch(Item.all) } throws: { isMigrated($0) }
    }

    @Test func aContainerThatOnlyReads() throws {
        _ = try makeItems(try open())
        let container = try ModelContainer(
            for: AtticModel.self, configurations: ModelConfiguration(url: url, allowsSave: false))
        let context = ModelContext(container)
        #expect(try context.fetchCount(Item.all) == 5)
        try NewAttic.open(url)
        #expect { _ = try context.fetch(Item.all) } throws: { isMigrated($0) }
    }

    @Test func storesOfSeveral() throws {
        let container = try Outpost.container(in: folder)
        try Outpost.fill(ModelContext(container))
        let store = container.stores[0]
        try ForeignDatabase.make(
            at: store.url, "UPDATE \"ashlar$metadata\" SET \"value\" = 'other' WHERE \"key\" = 'versionHash'",
            "UPDATE \"ashlar$metadata\" SET \"value\" = replace(\"value\", 'Memo ', 'Memo 0') WHERE \"key\" = 'entityHashes'",
            "CREATE TABLE added (number INTEGER)")
        let context = ModelContext(container)
        #expect {
            for memo in try context.fetch(Memo.all) { context.delete(memo) }
            try context.save()
        } throws: {
            if case StoreError.migratedWhileOpen(store.url, _) = $0 { true } else { false }
        }
    }

    /// Changes of the schema that do not concern a program do not stop it.
    @Test func otherChangesOfTheSchema() throws {
        let container = try open()
        let context = try makeItems(container)
        let other = try open()
        for change in [
            { try ForeignDatabase.make(at: url, "CREATE INDEX added ON Item (\"version$\")") },
            { try ForeignDatabase.make(at: url, "CREATE TABLE notes (text)", "DROP TABLE notes") },
            { try ForeignDatabase.make(at: url, "ANALYZE") }, { try other.vacuum() },
            { _ = try open(StoreOptions(historyTracking: true)) },
            { _ = try open(StoreOptions(historyTracking: false)) }, { try container.vacuum() },
        ] as [() throws -> Void] {
            try change()
            let count = try context.fetchCount(Item.all)
            context.insert(Item(counts: [], name: "more"))
            try context.save()
            #expect(try context.fetchCount(Item.all) == count + 1)
        }
        try container.expectSound()
    }

    // MARK: Files

    @Test("a store that was removed under a container is not written", arguments: [true, false])
    func aStoreThatWasRemoved(isReplaced: Bool) throws {
        let other = folder.file("other.store")
        do {
            let context = ModelContext(try ModelContainer(for: AtticModel.self, at: other))
            context.insert(Item(counts: [], name: "other"))
            try context.save()
        }
        let container = try open()
        let context = try makeItems(container)
        #expect(try context.fetchCount(Item.all) == 5)
        try container.checkpoint(.truncate)
        if isReplaced {
            try FileSystem.rename(other, to: url)
        } else {
            try FileManager.default.removeItem(at: url)
        }
        context.insert(Item(counts: [], name: "late"))
        for _ in 0..<2 { #expect { try context.save() } throws: { isRemoved($0) } }
        #expect { try context.batchDelete(Item.all) } throws: { isRemoved($0) }
        #expect { try container.setMetadata(1, forKey: "key") } throws: { isRemoved($0) }
        // The earlier rows can be read, to be kept elsewhere.
        #expect(try ModelContext(container).fetchCount(Item.all) == 5)
        // An additional connection would open another file, or none.
        #expect {
            try container.pool.read { _ in _ = try container.pool.read { try $0.integer("SELECT 1") } }
        } throws: {
            isRemoved($0) || $0 is SQLiteError && !isReplaced
        }
        #expect(FileManager.default.fileExists(atPath: url.path) == isReplaced)
    }

    @Test func observersAreTold() async throws {
        let container = try open()
        let context = try makeItems(container)
        var changes = container.remoteChanges.makeAsyncIterator()
        try NewAttic.open(url)
        let change = await changes.next()
        #expect(change == RemoteChange(storeIdentifier: container.storeIdentifier, url: url, kind: .migration))
        try FileManager.default.removeItem(at: url)
        context.insert(Item(counts: [], name: "late"))
        #expect { try context.save() } throws: { isRemoved($0) }
        var removal = await changes.next()
        // The log of the migration may be reported once more.
        while removal?.kind == .migration { removal = await changes.next() }
        #expect(removal == RemoteChange(storeIdentifier: container.storeIdentifier, url: url, kind: .removal))
    }

    // MARK: Messages

    @Test("row 51: a checkpoint that this process's own context forbids") func ownContexts() throws {
        let container = try open(StoreOptions(busyTimeout: .milliseconds(5)))
        let context = try makeItems(container)
        let pinned = ModelContext(container)
        try pinned.setQueryGeneration(from: .current)
        _ = try pinned.fetch(Item.all)
        context.insert(Item(counts: [], name: "late", photo: Data(count: 200_000)))
        try context.save()
        try container.execute("DELETE FROM Item WHERE name = 'late'")
        for work in [
            { _ = try container.checkpoint(.truncate) }, { _ = try container.removeOrphanedExternalData() },
        ] as [() throws -> Void] {
            #expect { try work() } throws: {
                guard case StoreError.pinnedQueryGenerations(url, _, _) = $0 else { return false }
                return "\($0)".contains("this process")
            }
        }
        try pinned.setQueryGeneration(from: nil)
        #expect(try container.removeOrphanedExternalData() == 1)
        #expect(try container.checkpoint(.truncate).isComplete)
    }
}

#if os(Linux) || os(macOS)
    extension StoreWatchTests {
        @Test(.ownThreads) func aMigrationByAnotherProcess() async throws {
            let container = try ModelContainer(for: AtticModel.self, at: folder.file())
            let context = ModelContext(container)
            context.insert(Item(counts: [], name: "early"))
            try context.save()
            let path = folder.file().path
            await #expect(processExitsWith: .success) { [path = path as String] in
                try NewAttic.open(URL(fileURLWithPath: path))
            }
            context.insert(Item(counts: [], name: "late"))
            #expect {
                try context.save()
            } throws: {
                if case StoreError.migratedWhileOpen = $0 { true } else { false }
            }
            let found = try ForeignDatabase.connect(folder.file()).rows("SELECT title, name FROM Item")
            #expect(found == [[.text("early"), .text("")]])
        }
    }
#endif
