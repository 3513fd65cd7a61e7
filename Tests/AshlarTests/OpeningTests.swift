import Foundation
import Testing

@testable import Ashlar

/// A file that is not an Ashlar store is refused with an error that says so, and stays unchanged.
@Suite struct OpeningTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var url: URL { folder.file() }

    private func makeStore(_ model: any ManagedObjectModel.Type = TortureModel.self, rows: Int = 0) throws {
        let container = try ModelContainer(for: model, at: url)
        let context = ModelContext(container)
        for index in 0..<rows { context.insert(Label(name: "\(index)")) }
        try context.save()
    }

    /// Opens the store, expects an error, and expects that neither the file nor its companions change.
    private func expectRefusal(
        _ model: any ManagedObjectModel.Type = TortureModel.self, allowsSave: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation, _ isExpected: (StoreError) -> Bool
    ) throws {
        let before = try folder.contents()
        #expect(sourceLocation: sourceLocation) {
            _ = try ModelContainer(for: model, configurations: ModelConfiguration(url: url, allowsSave: allowsSave))
        } throws: { error in
            guard let error = error as? StoreError else { return false }
            #expect(!error.description.isEmpty && error.errorDescription == error.description)
            return isExpected(error)
        }
        let after = try folder.contents()
        #expect(after.keys.sorted() == before.keys.sorted(), sourceLocation: sourceLocation)
        #expect(after == before, "a file was changed", sourceLocation: sourceLocation)
    }

    // MARK: Files that are not stores

    @Test(arguments: [
        Data("hello".utf8), Data(repeating: 0, count: 10_000), Data("SQLite format 3\0".utf8),
        Data("SQLite format 3\0".utf8) + Data(repeating: 0xFF, count: 5_000), Data((0..<255).map { UInt8($0) }),
    ])
    func notADatabase(_ bytes: Data) throws {
        try bytes.write(to: url)
        for allowsSave in [true, false] {
            try expectRefusal(allowsSave: allowsSave) { error in
                switch error {
                case .notADatabase, .foreignDatabase: true
                default: false
                }
            }
        }
    }

    @Test func aFolder() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        try expectRefusal { if case .notADatabase = $0 { true } else { false } }
    }

    @Test func aTruncatedStore() throws {
        try makeStore(rows: 5000)
        let whole = try Data(contentsOf: url)
        for length in [1, 50, 99, 100, 1000, 4096, 4097, 20_000, whole.count / 2, whole.count - 4096, whole.count - 1] {
            try whole.prefix(length).write(to: url)
            for allowsSave in [true, false] {
                try expectRefusal(allowsSave: allowsSave) { error in
                    switch error {
                    case .notADatabase, .truncated: true
                    default: false
                    }
                }
            }
        }
    }

    // MARK: Databases of other programs

    @Test func anotherProgramsDatabase() throws {
        try ForeignDatabase.make(at: url, "CREATE TABLE notes (text)", "INSERT INTO notes VALUES ('mine')")
        for allowsSave in [true, false] {
            try expectRefusal(allowsSave: allowsSave) { if case .foreignDatabase = $0 { true } else { false } }
        }
    }

    @Test func anotherProgramsDatabaseWithALog() throws {
        let elsewhere = try TemporaryFolder()
        try ForeignDatabase.makeKilled(
            at: url, in: elsewhere, "CREATE TABLE notes (text)", "INSERT INTO notes VALUES (1)")
        #expect(try folder.contents().keys.sorted() == ["test.store", "test.store-wal"])
        try expectRefusal { if case .foreignDatabase = $0 { true } else { false } }
        try expectRefusal(allowsSave: false) { if case .foreignDatabase = $0 { true } else { false } }
    }

    @Test func anotherProgramsDatabaseInUse() throws {
        let connection = try ForeignDatabase.connect(url)
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute("CREATE TABLE notes (text)")
        try expectRefusal { if case .foreignDatabase = $0 { true } else { false } }
        try connection.execute("INSERT INTO notes VALUES (1)")
    }

    @Test func aDatabaseWithOurNumberButNoMetadata() throws {
        try ForeignDatabase.make(
            at: url, "PRAGMA application_id = \(StoreMetadata.applicationIdentifier)", "CREATE TABLE notes (text)")
        try expectRefusal { if case .foreignDatabase = $0 { true } else { false } }
    }

    // MARK: Stores of another format, model or version

    private func setMetadata(_ key: String, _ value: String) throws {
        try ForeignDatabase.make(at: url, "UPDATE \"ashlar$metadata\" SET value = \(value) WHERE key = '\(key)'")
    }

    @Test func aNewerFormat() throws {
        try makeStore()
        try setMetadata("format", "99")
        for allowsSave in [true, false] {
            try expectRefusal(allowsSave: allowsSave) {
                if case .newerFormat(_, found: 99, supported: 1) = $0 { true } else { false }
            }
        }
    }

    @Test("rows 46, 47: another model") func anotherModel() throws {
        try makeStore()
        try expectRefusal(ZooModel.self) {
            if case .otherModel(_, found: "Torture", expected: "Zoo") = $0 { true } else { false }
        }
    }

    @Test("row 47: an unknown version") func anUnknownVersion() throws {
        try makeStore()
        try setMetadata("versionHash", "'of tomorrow'")
        try setMetadata("version", "'Torture 99'")
        try setMetadata("knownVersions", "'of tomorrow'")
        try setMetadata("entityHashes", "replace(replace(value, 'Label ', 'Label 1'), 'Node ', 'Knot ')")
        try expectRefusal { error in
            guard case .unknownVersion(_, "Torture 99", let differences) = error else { return false }
            return differences == [
                "It is nearest to \"Torture\".", "Knot: only in the store", "Label: differs", "Node: not in the store",
            ]
        }
    }

    /// While a version is in development, stores of its earlier states can be replaced.
    @Test func aVersionThatWasEditedInPlace() throws {
        try makeStore()
        try setMetadata("versionHash", "'of an hour ago'")
        try setMetadata("knownVersions", "'of an hour ago'")
        let url = url
        var configuration = ModelConfiguration(url: url)
        #expect {
            try ModelContainer(for: TortureModel.self, configurations: configuration)
        } throws: {
            if case StoreError.unknownVersion = $0 { true } else { false }
        }
        configuration.migration.rebuildsEditedVersions = true
        // A store of a version that the model does not have is never replaced.
        try setMetadata("version", "'Torture 99'")
        #expect(throws: StoreError.self) {
            try ModelContainer(for: TortureModel.self, configurations: configuration)
        }
        try setMetadata("version", "'Torture'")
        let container = try ModelContainer(for: TortureModel.self, configurations: configuration)
        #expect(try ModelContext(container).fetchCount(Label.all) == 0)
    }

    /// The log of a killed process is left for a program that supports the store's format.
    @Test func anUnknownVersionWithALog() throws {
        let elsewhere = try TemporaryFolder()
        let container = try ModelContainer(for: TortureModel.self, at: elsewhere.file("living.db"))
        try container.execute("UPDATE \"ashlar$metadata\" SET value = 99 WHERE key = 'format'")
        try ForeignDatabase.copyFiles(of: elsewhere.file("living.db"), to: url)
        let before = try folder.contents()
        #expect(throws: StoreError.self) { try ModelContainer(for: TortureModel.self, at: url) }
        let after = try folder.contents()
        // The index of the log holds no data, and may be made anew.
        #expect(after["test.store"] == before["test.store"] && after["test.store-wal"] == before["test.store-wal"])
    }

    // MARK: Places

    @Test func aMissingFolder() throws {
        let url = folder.url.appendingPathComponent("missing/test.store")
        #expect { try ModelContainer(for: TortureModel.self, at: url) } throws: {
            if case StoreError.missingFolder(url) = $0 { true } else { false }
        }
        #expect(try folder.contents().isEmpty)
    }

    @Test func aMissingFileIsNotMadeWithoutPermission() throws {
        try expectRefusal(allowsSave: false) { if case .missingFile = $0 { true } else { false } }
        try Data().write(to: url)
        try expectRefusal(allowsSave: false) { if case .missingFile = $0 { true } else { false } }
        _ = try ModelContainer(for: TortureModel.self, at: url)
    }

    @Test func namesWithSpecialCharacters() throws {
        for name in ["a b.store", "ä🙂.store", "q?x=1&mode=memory#f.store", "100%25.store", "file:x.store"] {
            let url = folder.file(name)
            for allowsSave in [true, false] {
                let configuration = ModelConfiguration(url: url, allowsSave: allowsSave)
                let container = try ModelContainer(for: TortureModel.self, configurations: configuration)
                #expect(try ModelContext(container).fetchCount(Label.all) == 0)
                #expect(FileManager.default.fileExists(atPath: url.path))
            }
        }
    }

    // MARK: Reading without writing

    @Test("row 50: without permission to save") func withoutPermissionToSave() throws {
        try makeStore(rows: 3)
        let bytes = try Data(contentsOf: url)
        do {
            let container = try ModelContainer(
                for: TortureModel.self, configurations: ModelConfiguration(url: url, allowsSave: false))
            let context = ModelContext(container)
            #expect(container.isReadOnly)
            let label = try #require(try context.fetch(Label.all).first)
            label.name = "changed"
            #expect { try context.save() } throws: { if case SaveError.readOnly = $0 { true } else { false } }
        }
        #expect(try Data(contentsOf: url) == bytes)
    }

    @Test(.enabled(if: Immutability.isAvailable, "this machine cannot make files immutable"))
    func aFileThatCannotBeWritten() throws {
        try makeStore(rows: 3)
        let bytes = try Data(contentsOf: url)
        try Immutability.hold(url) {
            let container = try ModelContainer(for: TortureModel.self, at: url)
            #expect(container.isReadOnly)
            #expect(try ModelContext(container).fetchCount(Label.all) == 3)
        }
        #expect(try Data(contentsOf: url) == bytes)
        try Data().write(to: url)
        try Immutability.hold(url) { try expectRefusal { if case .readOnly = $0 { true } else { false } } }
    }

    @Test(.enabled(if: Immutability.isAvailable, "this machine cannot make folders immutable"))
    func aFolderThatCannotBeWritten() throws {
        try makeStore(rows: 3)
        let before = try folder.contents()
        try Immutability.hold(folder.url) {
            let container = try ModelContainer(for: TortureModel.self, at: url)
            #expect(container.isReadOnly)
            #expect(try ModelContext(container).fetchCount(Label.all) == 3)
            #expect { try ModelContainer(for: TortureModel.self, at: folder.file("new.store")) } throws: {
                if case StoreError.missingFolder = $0 { true } else { false }
            }
        }
        #expect(try folder.contents() == before)
    }

    // MARK: SQLite

    @Test func theVersionOfSQLite() throws {
        try StoreOpener.checkLibrary(number: 3_040_001, version: "3.40.1")
        try StoreOpener.checkLibrary(number: 4_000_000, version: "4.0.0")
        #expect {
            try StoreOpener.checkLibrary(number: 3_040_000, version: "3.40.0")
        } throws: { error in
            guard case StoreError.sqliteTooOld(found: "3.40.0", needed: "3.40.1") = error else { return false }
            return "\(error)".contains("3.40.0")
        }
    }
}
