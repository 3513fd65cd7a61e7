import AshlarSQLite
import Foundation
import Testing

@_spi(Generated) @testable import Ashlar

/// Large values in files beside the store.
@Suite struct ExternalDataTests {
    private let folder: TemporaryFolder
    private let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    private let other = Data(repeating: 7, count: 150_000)
    private let small = Data("small".utf8)

    init() throws { folder = try TemporaryFolder() }

    private var url: URL { folder.file() }

    private func open(_ url: URL? = nil) throws -> ModelContainer {
        try ModelContainer(for: AtticModel.self, at: url ?? self.url)
    }

    private func files(_ url: URL? = nil) throws -> Set<String> {
        try ExternalDataFolder(storePath: (url ?? self.url).path).names()
    }

    private func markers(_ container: ModelContainer) throws -> Int {
        try container.pool.write { $0.state.externalData?.markers.count ?? 0 }
    }

    private func item(_ context: ModelContext, photo: Data?) throws -> Item {
        let item = Item(counts: [], name: "a", photo: photo)
        context.insert(item)
        try context.save()
        return item
    }

    /// A transaction of several saves deletes the files of replaced values when all of it is committed. If a part is
    /// undone, the files that it wrote are deleted at once.
    @Test("rows 11, 82: large values in transactions of several parts") func transactions() throws {
        struct Failure: Error {}
        let container = try open()
        let context = ModelContext(container)
        let item = try item(context, photo: large)
        let before = try files()
        #expect(throws: Failure.self) {
            try context.transaction {
                item.photo = other
                try context.save()
                #expect(try files().count == 2)
                throw Failure()
            }
        }
        #expect(try files() == before && markers(container) == 0)
        #expect(try ModelContext(container).fetchValues(Item.all).first?.photo == large)
        #expect(item.photo == large)
        try context.transaction {
            item.photo = other
            try context.save()
            // A part that is refused deletes its own files and no others.
            #expect(throws: Failure.self) {
                try context.write { connection in
                    try context.currentTransaction?.part(writing: container.stores, [], connection) {
                        _ = try connection.state.externalData?.write(large)
                        connection.state.externalData?.confirm()
                        #expect(try files().count == 3)
                        throw Failure()
                    }
                }
            }
            #expect(try files().count == 2)
        }
        #expect(try files().count == 1 && files() != before && markers(container) == 0)
        #expect(try ModelContext(container).fetchValues(Item.all).first?.photo == other)
    }

    @Test("rows 11, 150: large values get files and small ones do not")
    func largeValuesGetFilesAndSmallOnesDoNot() throws {
        let container = try open()
        let context = ModelContext(container)
        let item = try item(context, photo: large)
        #expect(try files().count == 1 && markers(container) == 0)
        #expect(try container.text("SELECT substr(photo, 1, 12) FROM Item") == "ashlar$file:")
        #expect(try context.fetched(Item.self).first?.photo == large)
        item.photo = small
        try context.save()
        #expect(try files().isEmpty)
        #expect(try container.text("SELECT photo FROM Item") == "small")
        item.photo = other
        try context.save()
        item.photo = large
        try context.save()
        #expect(try files().count == 1 && markers(container) == 0)
        context.delete(item)
        try context.save()
        #expect(try files().isEmpty && markers(container) == 0)
        let configuration = ModelConfiguration(url: url)
        #expect(configuration.externalDataFolder?.lastPathComponent == ".test.store_SUPPORT")
    }

    @Test func theThresholdIsTheConfigurations() throws {
        var configuration = ModelConfiguration(url: url)
        configuration.externalStorageThreshold = 3
        let container = try ModelContainer(for: AtticModel.self, configurations: configuration)
        _ = try item(ModelContext(container), photo: Data([1, 2]))
        #expect(try files().isEmpty)
        _ = try item(ModelContext(container), photo: Data([1, 2, 3]))
        #expect(try files().count == 1)
    }

    @Test func aStoreInMemoryHasNoFiles() throws {
        let context = ModelContext(try memoryContainer(AtticModel.self))
        _ = try item(context, photo: large)
        #expect(try context.fetched(Item.self).first?.photo == large)
    }

    /// Values that look like references are read back unchanged, whether or not external storage is allowed.
    @Test func valuesThatLookLikeReferences() throws {
        let texts = [
            "ashlar$file:", "ashlar$data:", "ashlar$file:6F1B2C3D-4E5F-4071-8293-A4B5C6D7E8F9", "ashlar$file:1234567",
            "ashlar$file:6F1B2C3D-4E5F-4071-8293-A4B5C6D7E8F9/12", "ashlar$data:1234", "ashlar$data:12345",
            "ashlar$data:ashlar$data:12345", "ashlar$",
        ]
        let context = ModelContext(try open())
        for text in texts {
            let item = Item(counts: [], name: text, photo: Data(text.utf8), scan: Data(text.utf8))
            context.insert(item)
        }
        try context.save()
        for item in try context.fetched(Item.self) {
            #expect(item.photo == Data(item.name.utf8) && item.scan == Data(item.name.utf8))
            #expect(try context.fetchCount(Item.where { $0.scan == Data(item.name.utf8) }) == 1)
        }
        #expect(try context.fetchCount(Item.where { $0.photo == nil }) == 0)
    }

    /// If a model no longer allows external storage, values in files are still readable.
    @Test func referencesAreReadInAnyColumn() throws {
        let container = try open()
        _ = try item(ModelContext(container), photo: large)
        try container.execute("UPDATE Item SET scan = photo, photo = NULL")
        #expect(try ModelContext(container).fetch(Item.all).first?.scan == large)
        #expect(try container.removeOrphanedExternalData() == 0)
        #expect(try ModelContext(container).fetch(Item.all).first?.scan == large)
    }

    @Test func aMissingFile() throws {
        let container = try open()
        let context = ModelContext(container)
        _ = try item(context, photo: large)
        _ = try item(context, photo: small)
        context.insert(Box(label: other))
        try context.save()
        let names = try files()
        for name in names { try ExternalDataFolder(storePath: url.path).remove(name) }
        let reader = ModelContext(container)
        #expect(throws: StoreError.self) { try reader.fetch(Item.all) }
        #expect(try reader.fetch(Item.all).map(\.photo) == [nil, small])
        for _ in 0..<2 {
            #expect(throws: StoreError.self) { try reader.fetch(Box.all) }
        }
        let invalid = reader.invalidValues
        #expect(invalid.map(\.property) == ["label", "photo"], "\(invalid.map(\.expected))")
        #expect(names.allSatisfy { name in invalid.contains { $0.expected.contains(name) } })
    }

    @Test func filesThatAreMissingOrCutOff() throws {
        let container = try open()
        let context = ModelContext(container)
        var files: [URL] = []
        for _ in 0..<4 {
            let before = try self.files()
            _ = try item(context, photo: large)
            files += try self.files().subtracting(before).map { ExternalDataFolder(storePath: url.path).file($0) }
        }
        context.insert(Box(label: other))
        try context.save()
        #expect(try container.integrityProblems() == [])
        try large.prefix(1000).write(to: files[0])
        try Data().write(to: files[1])
        try FileManager.default.removeItem(at: files[2])
        let problems = try container.integrityProblems()
        #expect(
            problems == [
                "Item.photo of row 1: the file \(files[0].path) has 1000 bytes instead of 200000.",
                "Item.photo of row 2: the file \(files[1].path) has 0 bytes instead of 200000.",
                "Item.photo of row 3: the file \(files[2].path) is missing.",
            ])
        let reader = ModelContext(container)
        #expect(throws: StoreError.self) { try reader.fetch(Item.all) }
        // The previous fetch threw the error for all three rows; now the values are nil.
        #expect(try reader.fetch(Item.all).map(\.photo) == [nil, nil, nil, large])
        #expect(reader.invalidValues.map(\.property) == ["photo", "photo", "photo"])
        #expect(try reader.fetch(Box.all).map(\.label) == [other])
        // The values can be set again.
        for item in try context.fetch(Item.all) { item.photo = other }
        try context.save()
        #expect(try container.integrityProblems() == [])
    }

    /// Stores of earlier versions contain references without the length.
    @Test func referencesWithoutALength() throws {
        let container = try open()
        let context = ModelContext(container)
        let item = try item(context, photo: large)
        try container.execute("UPDATE Item SET photo = substr(photo, 1, 48), \"version$\" = \"version$\" + 1")
        #expect(try container.integer("SELECT length(photo) FROM Item") == 48)
        #expect(try context.fetched(Item.self).first?.photo == large)
        #expect(try container.integrityProblems() == [] && container.removeOrphanedExternalData() == 0)
        try container.backUp(to: folder.file("copy.store"))
        #expect(try ModelContext(try open(folder.file("copy.store"))).fetch(Item.all).first?.photo == large)
        try context.refresh(item)
        item.photo = other
        try context.save()
        #expect(try files().count == 1)
    }

    @Test func aReadOnlyStore() throws {
        do {
            _ = try item(ModelContext(try open()), photo: large)
        }
        let container = try ModelContainer(
            for: AtticModel.self, configurations: ModelConfiguration(url: url, allowsSave: false))
        #expect(try ModelContext(container).fetch(Item.all).first?.photo == large)
        #expect(throws: StoreError.self) { try container.removeOrphanedExternalData() }
    }

    @Test func rowsThatSQLDeletedLeaveFilesToCollect() throws {
        let container = try open()
        let context = ModelContext(container)
        _ = try item(context, photo: large)
        _ = try item(context, photo: other)
        try container.execute("DELETE FROM Item WHERE \"id$\" = 1")
        #expect(try files().count == 2)
        #expect(try container.removeOrphanedExternalData() == 1)
        #expect(try files().count == 1)
        #expect(try ModelContext(container).fetch(Item.all).first?.photo == other)
    }

    /// The file of a replaced value stays while a reader sees the earlier state.
    @Test func readersKeepWhatTheyCanSee() throws {
        let container = try open()
        let context = ModelContext(container)
        let item = try item(context, photo: large)
        try container.pool.read { connection in
            let statement = try connection.statement("SELECT photo FROM Item")
            defer { statement.reset() }
            #expect(try statement.step())
            item.photo = other
            try context.save()
            #expect(try files().count == 2 && markers(container) == 1)
            #expect(try Row(statement: statement.handle, store: 0).data(0) == large)
        }
        item.name = "b"
        try context.save()
        #expect(try files().count == 1 && markers(container) == 0)
        #expect(try context.fetched(Item.self).first?.photo == other)
    }

    struct Refusal: Error {}

    /// An error at any step before the commit leaves the store and its files unchanged, and the save can be repeated.
    @Test(arguments: ExternalDataWriter.Step.allCases)
    func anErrorAtEachStep(_ step: ExternalDataWriter.Step) throws {
        let container = try open()
        let context = ModelContext(container)
        let item = try item(context, photo: large)
        try container.pool.write { connection in
            connection.state.externalData?.observer = { if $0 == step { throw Refusal() } }
        }
        item.photo = other
        let isAfterCommit = [.checkpoint, .delete, .unmark].contains(step)
        if isAfterCommit {
            try context.save()
        } else {
            #expect(throws: SaveError.self) { try context.save() }
            #expect(try files().count == 1)
            #expect(try context.fetched(Item.self).first?.photo == large)
        }
        try container.pool.write { $0.state.externalData?.observer = nil }
        item.name = "b"
        try context.save()
        #expect(try context.fetched(Item.self).first?.photo == other)
        #expect(try files().count == 1 && markers(container) == 0)
        try container.expectSound()
    }

    /// After a crash at any step, the store opens, all its rows have their files, and orphaned files are collected.
    @Test func aCrashAtEachStep() throws {
        let container = try open()
        let context = ModelContext(container)
        let item = try item(context, photo: large)
        let source = folder.url
        let copies = try TemporaryFolder()
        let seen = Copies()
        try container.pool.write { connection in
            connection.state.externalData?.observer = { step in
                let copy = copies.file("\(seen.steps.count)-\(step)")
                seen.steps.append(copy)
                try FileManager.default.copyItem(at: source, to: copy)
            }
        }
        item.photo = other
        try context.save()
        context.insert(Item(counts: [], name: "new", photo: large))
        try context.save()
        context.delete(item)
        try context.save()
        try container.pool.write { $0.state.externalData?.observer = nil }
        #expect(seen.steps.count > 15)
        for copy in seen.steps {
            let store = copy.appendingPathComponent("test.store")
            let reopened = try open(store)
            let reader = ModelContext(reopened)
            let photos = try reader.fetch(Item.all).compactMap(\.photo)
            #expect(reader.invalidValues.isEmpty, "\(copy.lastPathComponent)")
            #expect(photos.allSatisfy { $0 == large || $0 == other }, "\(copy.lastPathComponent)")
            #expect(try files(store).count == photos.count && markers(reopened) == 0, "\(copy.lastPathComponent)")
        }
    }

    private final class Copies {
        var steps: [URL] = []
    }

    @Test func aFolderThatCannotBeMade() throws {
        let container = try open()
        let context = ModelContext(container)
        try Data().write(to: folder.file(".test.store_SUPPORT"))
        let item = Item(counts: [], name: "a", photo: large)
        context.insert(item)
        #expect { try context.save() } throws: { error in
            if case SaveError.externalData(_, let file, _) = error {
                file.path.contains("_SUPPORT") && "\(error)".contains(file.path)
            } else {
                false
            }
        }
        try FileManager.default.removeItem(at: folder.file(".test.store_SUPPORT"))
        try context.save()
        #expect(try context.fetched(Item.self).first?.photo == large)
    }

    @Test func aChangesetOfAMissingFile() throws {
        let configuration = ModelConfiguration(url: url, options: StoreOptions(historyTracking: true))
        let container = try ModelContainer(for: AtticModel.self, configurations: configuration)
        let token = try container.currentHistoryToken()
        _ = try item(ModelContext(container), photo: large)
        #expect(try container.changeset(.fetchHistory(after: token)).data.count > large.count)
        let name = try #require(try files().first)
        let file = ExternalDataFolder(storePath: url.path).file(name)
        try Data("cut off".utf8).write(to: file)
        #expect(throws: ChangesetError.unreadableFile(file, reason: "it has 7 bytes instead of 200000")) {
            try container.changeset(.fetchHistory(after: token))
        }
        try FileManager.default.removeItem(at: file)
        #expect {
            try container.changeset(.fetchHistory(after: token))
        } throws: { error in
            guard case ChangesetError.unreadableFile(file, let reason) = error else { return false }
            return !reason.isEmpty && "\(error)".contains(file.path)
        }
    }
}
