import Ashlar
import AshlarSQLite
import AshlarSync
import Foundation
import GeneratorPipeline
import PlannedModel
import Testing

/// Stores of earlier releases, opened by this one.
@Suite struct KeptStoresTests {
    @Test func aReleaseIsKept() {
        #expect(KeptStores.releases.contains("0.1.0"))
        #expect(KeptStores.files.filter { $0.release == "0.1.0" }.count == KeptStores.all.count)
    }

    @Test(arguments: KeptStores.files) func itIsOpenedEditedAndOpenedAgain(_ file: KeptStores.File) throws {
        let folder = try file.copy()
        do {
            let container = try file.store.open(in: folder.url)
            try file.store.check(ModelContext(container))
            #expect(try container.integrityProblems() == [])
            try file.expectReport(container)
        }
        do {
            let context = ModelContext(try file.store.open(in: folder.url))
            try file.store.edit(context)
            try context.save()
            try file.store.checkEdited(context)
        }
        let container = try file.store.open(in: folder.url)
        try file.store.checkEdited(ModelContext(container))
        #expect(try container.integrityProblems() == [])
        try file.expectReport(container)
    }

    /// Reading leaves the files unchanged.
    @Test(arguments: KeptStores.files) func itIsBackedUpAndTheCopyIsOpened(_ file: KeptStores.File) throws {
        let (folder, copies) = (try file.copy(), try TemporaryFolder())
        for configuration in file.store.configurations(in: folder.url) {
            try ModelContainer.backUpStore(
                at: configuration.url, to: copies.url.appending(path: configuration.url.lastPathComponent))
        }
        try file.store.check(ModelContext(try file.store.open(in: copies.url)))
    }

    // MARK: Stores of a later release

    @Test(arguments: KeptStores.files) func aNewerFormatIsRefusedBeforeAnythingIsWritten(
        _ file: KeptStores.File
    ) throws {
        let folder = try file.copy()
        let stores = file.store.configurations(in: folder.url).map(\.url)
        for url in stores { try Self.raiseFormat(of: url) }
        let before = try folder.contents()
        for isReadOnly in [false, true] {
            var configurations = file.store.configurations(in: folder.url)
            for index in configurations.indices { configurations[index].allowsSave = !isReadOnly }
            #expect { try ModelContainer(for: file.store.model, configurations: configurations) } throws: {
                Self.isNewerFormat($0)
            }
        }
        for url in stores {
            #expect { try ModelContainer.migrateStore(at: url, for: file.store.model) } throws: {
                Self.isNewerFormat($0)
            }
            #expect { try ModelContainer.plannedMigration(ofStoreAt: url, for: file.store.model) } throws: {
                Self.isNewerFormat($0)
            }
        }
        #expect(try folder.contents() == before)
    }

    /// A program that has the store open when a newer one raises the number writes and reads nothing any more.
    @Test(arguments: KeptStores.files) func aFormatThatIsRaisedMeanwhileEndsWriting(_ file: KeptStores.File) throws {
        let folder = try file.copy()
        let container = try file.store.open(in: folder.url)
        let context = ModelContext(container)
        try file.store.edit(context)
        for store in container.stores {
            try Self.raiseFormat(of: store.url, "CREATE TABLE \"ashlar$later\" (\"number\" INTEGER)")
        }
        #expect { try context.save() } throws: { Self.isNewerFormat($0) }
        #expect { try file.store.check(ModelContext(container)) } throws: { Self.isNewerFormat($0) }
    }

    private static func raiseFormat(of url: URL, _ statements: String...) throws {
        let connection = try Connection(toWrite: url)
        try connection.execute("BEGIN IMMEDIATE")
        for statement in statements { try connection.execute(statement) }
        try connection.execute("UPDATE \"ashlar$metadata\" SET \"value\" = \"value\" + 1 WHERE \"key\" = 'format'")
        try connection.execute("COMMIT")
    }

    private static func isNewerFormat(_ error: any Error) -> Bool {
        if case StoreError.newerFormat(_, let found, let supported) = error { found == supported + 1 } else { false }
    }

    // MARK: New versions of the model

    /// Each model gets a version with an attribute more in every entity, and the store is migrated to it.
    @Test(arguments: KeptStores.files) func itIsMigratedToALaterVersion(_ file: KeptStores.File) throws {
        let folder = try file.copy()
        let model = try laterModel(of: file.store, in: folder.url)
        // Opening these stores changes rows: it migrates, or settles references.
        let keepsRows = file.store != DepotStore.self && file.store != DoubledRegistryStore.self
        for url in file.store.configurations(in: folder.url).map(\.url) {
            let before = try StoredRows(Connection(toWrite: url))
            try ModelContainer.migrateStore(at: url, for: model)
            let connection = try Connection(toWrite: url)
            if keepsRows { #expect(try before.isSame(in: connection)) }
            let tables = try connection.rows(
                "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%\"later\" TEXT%'")
            #expect(tables.first?.first != .integer(0))
            let container = try ModelContainer(for: model, at: url)
            #expect(try container.integrityProblems() == [])
            try file.expectReport(container)
        }
    }

    // MARK: Stores that follow a log

    @Test(arguments: KeptStores.files.filter { $0.store == HouseholdStore.self })
    func itGoesOnFollowingItsLog(_ file: KeptStores.File) async throws {
        let (folder, others) = (try file.copy(), try TemporaryFolder())
        let log = try HouseholdStore.log(in: folder.url)
        let container = try file.store.open(in: folder.url)
        let sync = try StoreSync(container, with: log)
        try await sync.synchronize()
        try HouseholdStore.check(ModelContext(container))
        let other = try ModelContainer(
            for: HouseholdModel.self,
            configurations: HouseholdStore.configuration(in: others.url, historyTracking: true))
        let otherSync = try StoreSync(other, with: log)
        try await otherSync.synchronize()
        try HouseholdStore.check(ModelContext(other))
        let context = ModelContext(other)
        try HouseholdStore.edit(context)
        try context.save()
        try await otherSync.synchronize()
        try await sync.synchronize()
        try HouseholdStore.checkEdited(ModelContext(container))
        #expect(try container.integrityProblems() == [])
        #expect(try await sync.keptEvents().isEmpty)
    }
}

extension KeptStores.File {
    /// References that two rows shared are settled and reported once, and nothing else is.
    fileprivate func expectReport(_ container: ModelContainer) throws {
        let records = try container.migrationHistory().filter { $0.kind == .referenceRepair }
        let expected =
            "Citizen.spouse of row 3, which led to row 1; Passport.holder of row 1, which led to row 1"
        #expect(records.map(\.detail) == (store == DoubledRegistryStore.self ? [expected] : []))
    }
}

/// Makes the stores of a release; `Scripts/kept-stores` runs it.
@Suite(.enabled(if: KeptStores.madeRelease != nil)) struct MakingStores {
    @Test(arguments: KeptStores.all.map { KeptStores.File(release: KeptStores.madeRelease ?? "", store: $0) })
    func make(_ file: KeptStores.File) async throws {
        try await KeptStores.make(file.store, release: file.release)
    }
}

extension KeptStoresTests {
    /// Copies a store's model, with a version that has another attribute in every entity without a parent.
    private func laterModel(of store: any KeptStore.Type, in folder: URL) throws -> any ManagedObjectModel.Type {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "Models/\(store.name).xcdatamodeld")
        let bundle = folder.appending(path: source.lastPathComponent)
        try FileManager.default.copyItem(at: source, to: bundle)
        let versions = store.model.modelDescription.versions.map(\.name)
        let contents = try String(
            contentsOf: bundle.appending(path: "\(versions.last ?? "").xcdatamodel/contents"), encoding: .utf8)
        let attribute = #"<attribute name="later" optional="YES" attributeType="String"/>"#
        let pieces = contents.components(separatedBy: "</entity>")
        let later = pieces.enumerated().map { index, piece in
            let isChild = index == pieces.count - 1 || piece.contains("parentEntity=")
            return isChild ? piece : piece + attribute
        }.joined(separator: "</entity>")
        let folder = bundle.appending(path: "Later.xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try later.write(to: folder.appending(path: "contents"), atomically: true, encoding: .utf8)
        var configuration = GeneratorConfiguration()
        configuration.versions = [store.name: versions + ["Later"]]
        configuration.currentVersion = [store.name: "Later"]
        let (plan, diagnostics) = ModelPlan.make(modelPath: bundle.path, configuration: configuration)
        let found = try #require(plan, "\(diagnostics.all.map(\.message))")
        return DescribedModel.type(of: found, version: versions.count)
    }
}

/// The rows of all tables of entities and pairs, with the columns that the tables had when they were first read.
private struct StoredRows {
    private var queries: [String] = []
    private var rows: [[[SQLiteValue]]] = []

    init(_ connection: Connection) throws {
        let tables = try connection.rows(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
                + "AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'ashlar$*'")
        for table in tables.map({ $0[0].storedText }) {
            let columns = try connection.rows("SELECT name FROM pragma_table_info(?1)", [.text(table)])
            let names = columns.map { "\"\($0[0].storedText)\"" }.joined(separator: ", ")
            queries.append("SELECT \(names) FROM \"\(table)\" ORDER BY \(names)")
        }
        rows = try queries.map { try connection.rows($0) }
    }

    func isSame(in connection: Connection) throws -> Bool { try queries.map { try connection.rows($0) } == rows }
}
