import AshlarSQLite
import Foundation
import Testing

@testable import Ashlar

/// The locations of stores, the options that reach SQLite, and the metadata of stores.
@Suite struct ConfigurationTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func names() {
        let named = ModelConfiguration("notes/2026", directory: folder.url)
        #expect(named.url == folder.file("notes:2026.store"))
        #expect(named.id == named.url && named.name == "notes/2026" && !named.isStoredInMemoryOnly)
        #expect(ModelConfiguration(url: folder.file("x.store")).name == "x")
        #expect(ModelConfiguration(isStoredInMemoryOnly: true).url.path == "/dev/null")
        let system = ModelConfiguration.systemDirectory.path
        #expect(system.hasSuffix("/" + ProcessInfo.processInfo.processName) || Bundle.main.bundleIdentifier != nil)
    }

    /// Opening a named store creates its folder, unless the store is opened for reading only.
    @Test("row 42: the models name") func theModelsName() throws {
        let directory = folder.url.appendingPathComponent("app/data")
        let configuration = ModelConfiguration(TortureModel.modelDescription.name, directory: directory)
        let container = try ModelContainer(for: TortureModel.self, configurations: configuration)
        #expect(container.configuration.url.lastPathComponent == "Torture.store")
        #expect(FileManager.default.fileExists(atPath: container.configuration.url.path))
        let missing = ModelConfiguration(
            "x", directory: folder.url.appendingPathComponent("none"), allowsSave: false)
        #expect { try ModelContainer(for: TortureModel.self, configurations: missing) } throws: {
            if case StoreError.missingFile = $0 { true } else { false }
        }
    }

    /// The only test that changes this process-wide setting. No other test opens a store by the model's name.
    @Test("row 43: the default directory can be set") func theDefaultDirectoryCanBeSet() throws {
        defer { ModelConfiguration.defaultDirectory = ModelConfiguration.systemDirectory }
        ModelConfiguration.defaultDirectory = folder.url
        let container = try ModelContainer(for: TortureModel.self)
        #expect(container.configuration.url == folder.file("Torture.store"))
        #expect(try folder.contents().keys.contains("Torture.store"))
    }

    @Test("rows 44, 51: options reach SQLite") func optionsReachSQLite() throws {
        let options = StoreOptions(
            pageSize: 8192, cacheSize: 1 << 20, synchronous: .full, secureDelete: .on, mmapSize: 1 << 16,
            busyTimeout: .milliseconds(123), walAutocheckpoint: 77)
        let container = try ModelContainer(
            for: TortureModel.self, configurations: ModelConfiguration(url: folder.file(), options: options))
        for pragma in [
            ("page_size", 8192), ("cache_size", -1024), ("synchronous", 2), ("mmap_size", 1 << 16),
            ("wal_autocheckpoint", 77), ("secure_delete", 1),
        ] {
            let (written, read) = try (
                container.pool.write { try $0.integer("PRAGMA \(pragma.0)") }, container.integer("PRAGMA \(pragma.0)")
            )
            #expect(written == Int64(pragma.1) && read == Int64(pragma.1), "\(pragma.0)")
        }
        #expect(try container.pool.write { $0.ending.busyTimeout } == 123)
        #expect(try container.pool.read { $0.ending.busyTimeout } == 123)
        // The page size of an existing store does not change.
        let other = try ModelContainer(for: TortureModel.self, at: folder.file())
        #expect(try other.integer("PRAGMA page_size") == 8192)
        #expect(try other.integer("PRAGMA synchronous") == 1)
        #expect(try other.integer("PRAGMA secure_delete") == 2)
    }

    @Test(arguments: [
        StoreOptions(pageSize: 1000), StoreOptions(pageSize: 0), StoreOptions(pageSize: 131072),
        StoreOptions(cacheSize: -1), StoreOptions(mmapSize: -1), StoreOptions(busyTimeout: .seconds(-1)),
        StoreOptions(busyTimeout: .seconds(1 << 40)), StoreOptions(walAutocheckpoint: -1),
    ])
    func optionsThatSQLiteWouldIgnore(_ options: StoreOptions) throws {
        #expect {
            _ = try ModelContainer(
                for: TortureModel.self, configurations: ModelConfiguration(url: folder.file(), options: options))
        } throws: {
            if case StoreError.invalidOption = $0 { true } else { false }
        }
        #expect(try folder.contents().isEmpty)
    }

    // MARK: Metadata

    private let values: [String: StoreMetadataValue] = [
        "": "empty", "a string": "\"ä\u{0}🙂", "integer": .integer(.min), "real": 0.1, "infinite": .real(.infinity),
        "true": true, "date": .date(Date(timeIntervalSinceReferenceDate: 801_234_567.123_456_7)),
        "data": .data(Data([0, 255])), "array": [1, 1.5, "x", [], [false]], "dictionary": ["a": ["b": 2]], "user:": 0,
    ]

    @Test("row 53: values of the programs own") func valuesOfTheProgramsOwn() throws {
        let url = folder.file()
        do {
            let container = try ModelContainer(for: TortureModel.self, at: url)
            for (key, value) in values { try container.setMetadata(value, forKey: key) }
            #expect(try container.metadata().values == values)
            #expect(try ModelContainer.metadata(ofStoreAt: url) == container.metadata())
        }
        let before = try folder.contents()
        let metadata = try ModelContainer.metadata(ofStoreAt: url)
        #expect(try folder.contents() == before)
        #expect(metadata.values == values && metadata.modelName == "Torture")
        #expect(metadata.isCurrent(for: TortureModel.self) && metadata.canBeOpened(for: TortureModel.self))
        #expect(!metadata.isCurrent(for: ZooModel.self) && !metadata.canBeOpened(for: ZooModel.self))
        try ModelContainer.setMetadata(nil, forKey: "true", ofStoreAt: url)
        try ModelContainer.setMetadata(2, forKey: "integer", ofStoreAt: url)
        let changed = try ModelContainer(for: TortureModel.self, at: url).metadata()
        #expect(changed.values["true"] == nil && changed.values["integer"] == 2)
        #expect(changed.values.count == values.count - 1 && changed.storeIdentifier == metadata.storeIdentifier)
    }

    @Test func metadataOfWhatIsNoStore() throws {
        #expect { try ModelContainer.metadata(ofStoreAt: folder.file()) } throws: {
            if case StoreError.missingFile = $0 { true } else { false }
        }
        try ForeignDatabase.make(at: folder.file(), "CREATE TABLE notes (text)")
        let before = try folder.contents()
        for set in [false, true] {
            #expect {
                if set { try ModelContainer.setMetadata(1, forKey: "a", ofStoreAt: folder.file()) }
                _ = try ModelContainer.metadata(ofStoreAt: folder.file())
            } throws: {
                if case StoreError.foreignDatabase = $0 { true } else { false }
            }
        }
        #expect(try folder.contents() == before)
    }

    @Test func metadataThatCannotBeSet() throws {
        _ = try ModelContainer(for: TortureModel.self, at: folder.file())
        let container = try ModelContainer(
            for: TortureModel.self, configurations: ModelConfiguration(url: folder.file(), allowsSave: false))
        #expect { try container.setMetadata(1, forKey: "a") } throws: {
            if case StoreError.readOnly = $0 { true } else { false }
        }
    }

    // MARK: Reading only

    /// For example, a medium from a machine that lost power.
    @Test(.enabled(if: Immutability.isAvailable, "this machine cannot make folders immutable"))
    func aLogInAFolderThatCannotBeWritten() throws {
        let elsewhere = try TemporaryFolder()
        let living = ModelContext(try ModelContainer(for: TortureModel.self, at: elsewhere.file()))
        living.insert(Label(name: "in the log"))
        try living.save()
        try ForeignDatabase.copyFiles(of: elsewhere.file(), to: folder.file())
        let before = try folder.contents()
        try Immutability.hold(folder.url) {
            for allowsSave in [true, false] {
                let configuration = ModelConfiguration(url: folder.file(), allowsSave: allowsSave)
                let container = try ModelContainer(for: TortureModel.self, configurations: configuration)
                #expect(container.isReadOnly)
                #expect(try ModelContext(container).fetch(Label.all).map(\.name) == ["in the log"])
                #expect(try ModelContext(container).fetchCount(Label.all) == 1)
            }
        }
        #expect(try folder.contents() == before)
    }
}
