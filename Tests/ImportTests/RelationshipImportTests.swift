import Ashlar
import AshlarImport
import Foundation
import TestDatabase
import Testing

/// Stores of several configurations, and relationships of the less usual kinds.
@Suite struct RelationshipImportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ old: HarbourStore) throws -> ModelContext {
        let configuration = ModelConfiguration(url: folder.file("Harbour.store"), importing: old.url)
        return ModelContext(try ModelContainer(for: HarbourModel.self, configurations: configuration))
    }

    private func fleet() throws -> HarbourStore {
        let old = try HarbourStore(folder.file("Harbour.sqlite"))
        try old.fillFleet()
        return old
    }

    @Test("row 168: to-many relationships without an inverse")
    func withoutInverse() throws {
        let context = try open(fleet())
        let docks = try context.fetch(Dock.order { $0.name.ascending })
        #expect(docks.map { $0.crates.map(\.label).sorted() } == [["salt", "tea"], ["rope"]])
        #expect(docks.map { $0.stops.map(\.place) } == [["Kiel", "Riga"], []])
        #expect(try context.fetchCount(Crate.all) == 4)
    }

    @Test("row 168: a many-to-many relationship that is its own inverse, ordered and not")
    func reflexive() throws {
        let context = try open(fleet())
        let ships = try context.fetch(Ship.order { $0.name.ascending })
        // One pair is stored in one direction only.
        #expect(ships.map { $0.rivals.map(\.name).sorted() } == [["Berta", "Clara"], ["Anna"], ["Anna"]])
        #expect(ships.map { $0.convoy.map(\.name) } == [["Clara", "Berta"], ["Anna"], ["Anna"]])
    }

    @Test(
        "row 168: what relationships of these kinds have that leads nowhere",
        arguments: [
            ("UPDATE ZCRATE SET Z3CRATES = 9 WHERE Z_PK = 1", "Dock.crates 9 Crate 1 leavesOutPair"),
            ("UPDATE ZSTOP SET Z3STOPS = 9 WHERE Z_PK = 2", "Dock.stops 9 Stop 2 leavesOutPair"),
            ("INSERT INTO Z_5RIVALS VALUES (9, 1)", "Ship.rivals 1 Ship 9 leavesOutPair"),
            ("INSERT INTO Z_5CONVOY VALUES (1, 9, 5)", "Ship.convoy 9 Ship 1 leavesOutPair"),
        ])
    func dangling(_ sql: String, _ finding: String) throws {
        let old = try fleet()
        try old.run(sql)
        var source = StoreImport(url: old.url)
        let url = folder.file("Harbour.store")
        #expect {
            try ModelContainer.importStore(source, to: url, for: HarbourModel.self)
        } throws: {
            ($0 as? ImportError)?.report?.findings.map(\.line) == [finding]
        }
        source.repairsData = true
        let report = try ModelContainer.importStore(source, to: url, for: HarbourModel.self)
        #expect(report.findings.map(\.line) == [finding])
        #expect(try Database(url).rows("PRAGMA foreign_key_check").isEmpty)
    }

    @Test("row 168: a file for each configuration becomes a store for each")
    func configurations() throws {
        let fleet = try HarbourStore(folder.file("Fleet.sqlite"), configuration: "Fleet")
        let office = try HarbourStore(
            folder.file("Office.sqlite"), configuration: "Office", identifier: "9C0C1D60-2D0D-4A5E-8E5B-0F7F2A9D2C22")
        try fleet.fillFleet()
        try office.fillOffice()
        let configurations = [
            ModelConfiguration(
                configuration: HarbourModel.Configuration.fleet, url: folder.file("Fleet.store"), importing: fleet.url),
            ModelConfiguration(
                configuration: HarbourModel.Configuration.office, url: folder.file("Office.store"),
                importing: office.url),
        ]
        for isFirst in [true, false] {
            let container = try ModelContainer(for: HarbourModel.self, configurations: configurations)
            let context = ModelContext(container)
            #expect(
                container.importReports.map(\.storeIdentifier)
                    == (isFirst ? [fleet.identifier, office.identifier] : []))
            #expect(try context.fetch(Ship.order { $0.name.ascending }).map(\.name) == ["Anna", "Berta", "Clara"])
            let clerk = try #require(try context.fetchFirst(Clerk.where { $0.name == "Ida" }))
            #expect(clerk.memos.map(\.text) == ["first", "second"] && clerk.memos[1].attachment == Data("A".utf8))
            // Both stores have an object of this number.
            func identifier(_ path: String) throws -> PersistentIdentifier {
                let uri = try #require(URL(string: "x-coredata://\(path)"))
                return try #require(try container.identifier(forCoreDataURI: uri))
            }
            let berta: Ship = try context.model(for: identifier("\(fleet.identifier)/Steamer/p2"))
            let otto: Clerk = try context.model(for: identifier("\(office.identifier)/Clerk/p2"))
            #expect(berta.name == "Berta" && berta is Steamer && otto.name == "Otto")
        }
    }

    @Test("row 168: the file of another configuration is refused")
    func otherConfiguration() throws {
        let office = try HarbourStore(folder.file("Office.sqlite"), configuration: "Office")
        let configuration = ModelConfiguration(
            configuration: HarbourModel.Configuration.fleet, url: folder.file("Fleet.store"), importing: office.url)
        #expect {
            _ = try ModelContainer(for: HarbourModel.self, configurations: configuration)
        } throws: {
            ($0 as? ImportError)?.code == .unknownVersion
        }
    }
}

extension ImportFinding {
    fileprivate var line: String { "\(entity).\(property) \(key) \(found) \(remedy.rawValue)" }
}
