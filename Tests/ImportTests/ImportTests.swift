import Ashlar
import AshlarImport
import Foundation
import Testing

/// A program that moves from Core Data: it passes the file of its users, and goes on.
@Suite struct ImportTests {
    private let folder: TemporaryFolder
    private let old: MuseumStore

    init() throws {
        folder = try TemporaryFolder()
        old = try MuseumStore(folder.file("Museum.sqlite"))
        try old.fill()
    }

    private var url: URL { folder.file("Museum.store") }

    private func open(_ change: (inout StoreImport) -> Void = { _ in }) throws -> ModelContainer {
        var configuration = ModelConfiguration(url: url, importing: old.url)
        if var importing = configuration.importing {
            change(&importing)
            configuration.importing = importing
        }
        return try ModelContainer(for: MuseumModel.self, configurations: configuration)
    }

    @Test("row 168: one line imports a store, with every kind of value")
    func values() throws {
        let before = try old.content()
        let container = try open()
        let context = ModelContext(container)
        let people = try context.fetch(Person.order { $0.name.ascending })
        #expect(people.map(\.name) == ["", "Ada", "Ö"])
        let ada = people[1]
        #expect(ada.age == -32768 && ada.count == .max && ada.isAlive && ada.score == .max)
        #expect(ada.salary == Decimal(string: "3.3333333332999993"))
        #expect(ada.homepage == URL(string: "https://example.org/a?b=c#d"))
        #expect(ada.identity == UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(ada.portrait == Data("ABC".utf8) && ada.stamp == Data([0, 0xFF]))
        #expect(ada.address?.city == "Wien" && ada.address?.zip == 1010)
        #expect(ada.worksCount == 3)
        #expect(people[0].age == nil && people[0].count == .min && people[0].address == nil && people[0].salary == 100)
        #expect(people[2].portrait == MuseumStore.largeValue)
        #expect(people[2].stamp == Data("ashlar$data1234567".utf8))
        #expect(people[2].address?.city == "Győr" && people[2].address?.zip == nil)
        #expect(try old.content() == before)
        let report = try #require(container.importReports.first)
        #expect(report.version == "Museum" && report.storeIdentifier == MuseumStore.identifier)
        #expect(
            report.objects == [
                "Artwork": 1, "Painting": 1, "Fresco": 1, "Specimen": 1, "Person": 3, "Room": 2, "Tag": 3,
            ])
        #expect(report.findings == [] && report.externalFiles == 1 && report.externalBytes == 300_000)
    }

    @Test("row 168: four levels of inheritance, and relationships of every kind")
    func relationships() throws {
        let context = ModelContext(try open())
        let items = try context.fetch(Item.order { $0.name.ascending })
        #expect(
            items.map { "\(type(of: $0)) \($0.name)" } == [
                "Painting Lake", "Specimen Oak", "Fresco Sky", "Artwork Vase",
            ])
        let vase = try #require(items[3] as? Artwork)
        #expect(vase.note == "of clay" && vase.acquired == Date(timeIntervalSinceReferenceDate: 684000000.123456))
        #expect((items[1] as? Specimen)?.note == "dry")
        let lake = try #require(items[0] as? Painting)
        #expect(
            lake.height == 0.5 && lake.width == 1.25
                && lake.acquired == Date(timeIntervalSinceReferenceDate: -63_114_076_800))
        #expect(lake.frame?.name == "Oak" && lake.frame?.framed === lake)
        #expect((items[2] as? Fresco)?.wall == "north" && items[2].weight == 1e300)
        let ada = try #require(try context.fetchFirst(Person.where { $0.name == "Ada" }))
        #expect(ada.works.map(\.name) == ["Lake", "Vase", "Sky"])
        #expect(vase.tags.map(\.label) == ["new", "large", "old"])
        #expect(items[2].tags.map(\.label) == ["old"])
        #expect(ada.pupil?.name == "Ö" && ada.pupil?.mentor === ada)
        #expect(Set(ada.friends.map(\.name)) == [""] && Set(ada.friendOf.map(\.name)) == ["", "Ö"])
        #expect(items.map { $0.room?.number } == [1, nil, 2, 1])
    }

    @Test("row 168: the store is of the newest version, and is a store like any other")
    func goesOn() throws {
        do {
            let container = try open()
            let context = ModelContext(container)
            #expect(try context.fetch(Room.all).map(\.floor) == [1, 1])
            #expect(try context.fetchCount(Keyword.all) == 3)
            let records = try container.migrationHistory()
            #expect(records.map(\.kind).contains(.imported) && records.last?.destination == "Museum 2")
            // New objects do not get numbers that Core Data gave.
            let room = Room(number: 7)
            context.insert(room)
            try context.save()
            #expect(room.persistentModelID.rowID > 40)
        }
        // The old store is not read again.
        try FileManager.default.removeItem(at: old.url)
        let container = try open()
        #expect(container.importReports == [])
        #expect(try ModelContext(container).fetchCount(Room.all) == 3)
        #expect(try folder.names().filter { $0.contains("importing") } == [])
    }

    @Test("row 168: without an old store there is an empty new one")
    func nothingToImport() throws {
        try FileManager.default.removeItem(at: old.url)
        let container = try open()
        #expect(container.importReports == [])
        #expect(try ModelContext(container).fetchCount(Person.all) == 0)
    }

    @Test("row 168: a store in the very place is kept beside the new one")
    func inPlace() throws {
        let before = try old.content()
        let configuration = ModelConfiguration(url: old.url, importing: old.url)
        do {
            let container = try ModelContainer(for: MuseumModel.self, configurations: configuration)
            #expect(try ModelContext(container).fetchCount(Person.all) == 3)
            #expect(container.importReports.count == 1)
        }
        let kept = try #require(ModelContainer.originalStore(at: old.url))
        let folder = kept.deletingLastPathComponent()
        var after: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            after[path] = try? Data(contentsOf: folder.appendingPathComponent(path))
        }
        #expect(after == before)
        #expect(try ModelContainer.isCoreDataStore(at: kept))
        do {
            let container = try ModelContainer(for: MuseumModel.self, configurations: configuration)
            #expect(container.importReports == [])
            #expect(
                try ModelContext(container).fetch(Person.where { $0.name == "Ö" })[0].portrait == MuseumStore.largeValue
            )
        }
        try ModelContainer.removeImportedStore(for: configuration)
        #expect(ModelContainer.originalStore(at: old.url) == nil)
    }

    @Test("row 168: the old store goes when the program says so")
    func removing() throws {
        let configuration = ModelConfiguration(url: url, importing: old.url)
        #expect(throws: StoreError.self) { try ModelContainer.removeImportedStore(for: configuration) }
        #expect(try ModelContainer.isCoreDataStore(at: old.url))
        _ = try ModelContainer(for: MuseumModel.self, configurations: configuration)
        try ModelContainer.removeImportedStore(for: configuration)
        #expect(try folder.names().filter { $0.hasPrefix("Museum.sqlite") || $0 == ".Museum_SUPPORT" } == [])
        try ModelContainer.removeImportedStore(for: configuration)
        #expect(try ModelContext(open()).fetchCount(Person.all) == 3)
    }

    @Test("row 168: URIs that Core Data gave lead to the objects")
    func identifiers() throws {
        let container = try open()
        let context = ModelContext(container)
        func object<Model: PersistentModel>(_ type: Model.Type, _ path: String) throws -> Model? {
            let uri = try #require(URL(string: "x-coredata://\(path)"))
            return try container.identifier(forCoreDataURI: uri).map { try context.model(for: $0) }
        }
        let store = MuseumStore.identifier
        #expect(try object(Person.self, "\(store)/Person/p3")?.name == "Ö")
        #expect(try object(Fresco.self, "\(store)/Fresco/p3")?.name == "Sky")
        #expect(try object(Item.self, "\(store)/Item/p3") is Fresco)
        // The entity was renamed meanwhile.
        #expect(try object(Keyword.self, "\(store)/Tag/p2")?.label == "large")
        for path in ["\(store)/Person/p4", "\(UUID().uuidString)/Person/p3", "\(store)/Ghost/p1", "\(store)/Person/t3"]
        {
            #expect(try object(Person.self, path) == nil)
        }
    }

    @Test("row 168: what is about to be imported can be told")
    func planned() throws {
        let report = try ModelContainer.plannedImport(of: StoreImport(url: old.url), for: MuseumModel.self)
        #expect(report.objects["Person"] == 3)
        #expect(try folder.names().sorted() == [".Museum_SUPPORT", "Museum.sqlite"])
    }

    @Test("row 168: a store of Core Data's is told from other programs' databases")
    func notMistaken() throws {
        #expect {
            _ = try ModelContainer(for: MuseumModel.self, at: old.url)
        } throws: {
            if case StoreError.coreDataStore = $0 { "\($0)".contains("Add the product AshlarImport") } else { false }
        }
    }

    /// SwiftData always keeps a history, in tables that do not belong to the model.
    @Test("row 169: a store as SwiftData writes it")
    func swiftData() throws {
        try old.run(
            "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT)",
            "CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZENTITY INTEGER)",
            "CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR)",
            """
            INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 2), (16002, 'TRANSACTION', 0, 1),
                (16003, 'TRANSACTIONSTRING', 0, 1)
            """)
        #expect(try ModelContext(open()).fetchCount(Person.all) == 3)
    }

    @Test("row 168: several tasks at once, of which one imports")
    func severalTasks() async throws {
        let configuration = ModelConfiguration(url: url, importing: old.url)
        let reports = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let container = try await ModelContainer(opening: MuseumModel.self, configurations: configuration)
                    #expect(try ModelContext(container).fetchCount(Person.all) == 3)
                    return container.importReports.count
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(reports == 1)
    }

    @Test("row 168: progress is told, from 0 to 1")
    func progress() throws {
        let told = Told()
        _ = try ModelContainer.importStore(StoreImport(url: old.url), to: url, for: MuseumModel.self) { told.add($0) }
        #expect(told.phases.contains(.importing(version: "Museum")))
        #expect(told.phases.contains { if case .migrating("Museum", "Museum 2") = $0 { true } else { false } })
        #expect(told.fractions.allSatisfy { (0...1).contains($0) } && told.fractions.contains(1))
    }
}

/// Records the progress of an import. `@unchecked`: the list is only touched while the lock is held.
private final class Told: @unchecked Sendable {
    private let lock = NSLock()
    private var progress: [MigrationProgress] = []

    func add(_ more: MigrationProgress) { lock.withLock { progress.append(more) } }

    var phases: [MigrationProgress.Phase] { lock.withLock { progress.map(\.phase) } }
    var fractions: [Double] { lock.withLock { progress.map(\.fractionCompleted) } }
}
