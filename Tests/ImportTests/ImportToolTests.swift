import Ashlar
import Foundation
import TestDatabase
import Testing
import ToolProgram

/// `ashlar import`, as a person runs it.
@Suite(.enabled(if: ToolProgram.isThere)) struct ImportToolTests {
    private static let cars = GarageStore.carEntities + GarageStore.car("LuxuryCar", "price")
    private static let racingCar = GarageStore.car("RacingCar", "speed")
    private static let entities: [(name: String, parent: Int)] = [
        ("Vehicle", 0), ("Car", 1), ("LuxuryCar", 2), ("RacingCar", 2),
    ]

    private func run(_ garage: GarageStore, _ arguments: String...) throws -> ToolProgram.Run {
        try ToolProgram.run(
            ["import", garage.url.path, "--model", garage.bundle.path] + arguments, in: garage.folder.url)
    }

    @Test("the history of a store is kept, and goes on") func history() throws {
        let folder = try TemporaryFolder()
        let old = try HarbourStore(folder.file("Harbour.sqlite"))
        try old.fillFleet()
        try old.trackHistory()
        try old.fillHistory()
        let model = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Models/Harbour.xcdatamodeld")
        let new = folder.file("Harbour.store")
        let run = try ToolProgram.run(
            ["import", old.url.path, "--model", model.path, "--to", new.path, "--history"], in: folder.url)
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.results.contains("3 transactions of the history with 6 changes"))
        let container = try ModelContainer(for: HarbourModel.self, at: new)
        #expect(try container.isHistoryTracked())
        #expect(try container.fetchHistory().map(\.author) == ["app", "widget"])
        #expect(try container.fetchHistory().map(\.changes.count) == [2, 4])
        let context = ModelContext(container)
        context.insert(Dock(name: "North"))
        try context.save()
        #expect(try container.fetchHistory().map(\.changes.count) == [2, 4, 1])
    }

    @Test("a history that cannot be kept is refused before anything is written") func lostHistory() throws {
        let removed = #"<userInfo><entry key="ashlar.removed" value="RacingCar"/></userInfo>"#
        let garage = try GarageStore(versions: [Self.cars + Self.racingCar, Self.cars + removed])
        try garage.write(Self.entities, hashes: [])
        try garage.run(
            "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, ZTIMESTAMP FLOAT)",
            """
            CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER,
                ZCHANGETYPE INTEGER, ZCOLUMNS BLOB)
            """, "INSERT INTO ATRANSACTION VALUES (1, 0.0)", "INSERT INTO ACHANGE VALUES (1, 4, 4, 1, 1, NULL)")
        let new = garage.folder.file("Garage.store")
        for arguments in [["--to", new.path, "--history"], ["--dry-run", "--history"]] {
            let run = try ToolProgram.run(
                ["import", garage.url.path, "--model", garage.bundle.path] + arguments, in: garage.folder.url)
            #expect(run.status == 3)
            #expect(run.messages.contains("its history cannot be followed"))
            #expect(try garage.folder.names() == ["Garage.sqlite", "Garage.xcdatamodeld"])
        }
        #expect(try run(garage, "--to", new.path, "--history", "--repair").status == 0)
        let changes = try Database(new).column("SELECT count(*) FROM \"ashlar$change\" WHERE \"kind\" <> 3")
        #expect(changes == ["0"])
    }

    @Test("a dry run reports the data that it checked where a stage of the program follows") func stage() throws {
        let later = Self.cars.replacingOccurrences(of: "name=\"doors\"", with: "name=\"doorCount\" elementID=\"doors\"")
        let garage = try GarageStore(
            versions: [Self.cars + Self.racingCar, later + Self.racingCar],
            options: #"{ "migrationStages": ["Garage 2"] }"#)
        try garage.write(Self.entities, hashes: [])
        let run = try self.run(garage, "--dry-run")
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.results.contains("4 objects"))
        #expect(run.results.contains("The migration to \"Garage 2\" was not tried: a custom stage leads there"))
        try garage.run("UPDATE ZVEHICLE SET ZNAME = NULL WHERE Z_PK = 1")
        let invalid = try self.run(garage, "--dry-run", "--repair")
        #expect(invalid.status == 0 && invalid.results.contains("1 values, references or rows"))
        #expect(try self.run(garage, "--to", garage.folder.file("Garage.store").path).status == 3)
        #expect(try garage.folder.names() == ["Garage.sqlite", "Garage.xcdatamodeld"])
    }

    @Test("the error for a file of a version before the oldest one says how to import it") func oldestVersion() throws {
        let versions = [Self.cars + Self.racingCar, Self.cars + Self.racingCar.replacing("speed", with: "pace")]
        let garage = try GarageStore(versions: versions, options: #"{ "oldestVersion": "Garage 2" }"#)
        try garage.write(Self.entities, hashes: [])
        let run = try self.run(garage, "--dry-run")
        #expect(run.status == 3)
        #expect(run.messages.contains("none of the program's versions: Garage 2."))
        #expect(run.messages.contains("take 'oldestVersion' out of ashlar.json"))
    }
}
