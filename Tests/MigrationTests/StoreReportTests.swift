import AshlarSQLite
import Foundation
import Testing
import ToolProgram

@testable import Ashlar

/// `ashlar status` and `ashlar migrate` as JSON, and without a model.
@Suite(.enabled(if: ToolProgram.isThere)) struct StoreReportTests {
    let folder: TemporaryFolder
    var store: String { folder.file().path }

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String...) throws -> ToolProgram.Run {
        try ToolProgram.run(arguments, in: folder.url)
    }

    @Test func statusAsJSON() throws {
        try Harbour.makeStore(at: folder.file())
        let run = try run("status", store, "--model", Harbour.path, "--format", "json")
        #expect(run.status == 2)
        let json = try run.json()
        #expect(json["version"] as? Int == 1)
        #expect(json["store"] as? String == store && json["model"] as? String == Harbour.path)
        #expect(json["kind"] as? String == "ashlar" && json["state"] as? String == "outdated")
        #expect(json["modelName"] as? String == "Harbour" && json["modelVersion"] as? String == "Harbour")
        let metadata = try ModelContainer.metadata(ofStoreAt: folder.file())
        #expect(json["identifier"] as? String == metadata.storeIdentifier)
        #expect(json["entities"] as? [String] == metadata.entityNames.sorted())
        let plan = try #require(json["plan"] as? [String: Any])
        let steps = try #require(plan["steps"] as? [[String: Any]])
        #expect(steps.map { $0["source"] as? String } == ["Harbour", "Harbour 2", "Harbour 3"])
        #expect(try #require(steps[0]["statements"] as? [String]).isEmpty == false)
        #expect((json["history"] as? [Any])?.isEmpty == true)
        #expect(json["error"] == nil && json["isMigrated"] == nil)
    }

    @Test func migrateAsJSON() throws {
        try Harbour.makeStore(at: folder.file())
        let planned = try run("migrate", store, "--model", Harbour.path, "--format", "json", "--dry-run")
        #expect(planned.status == 2)
        #expect(try planned.json()["isMigrated"] as? Bool == false)
        let migrated = try run("migrate", store, "--model", Harbour.path, "--format", "json")
        #expect(migrated.status == 0)
        let json = try migrated.json()
        #expect(json["isMigrated"] as? Bool == true && json["state"] as? String == "current")
        #expect(json["modelVersion"] as? String == "Harbour 4")
        // Without a terminal, progress is a message of plain lines.
        #expect(migrated.messages.contains(" %  ") && !migrated.messages.contains("\r"))
        let status = try run("status", store, "--model", Harbour.path, "--format", "json")
        #expect(status.status == 0)
        let history = try #require(status.json()["history"] as? [[String: Any]])
        #expect(history.allSatisfy { $0["program"] as? String == "ashlar migrate" } && !history.isEmpty)
        let date = try #require(history[0]["date"] as? String)
        #expect(throws: Never.self) { try Date(date, strategy: .iso8601) }
    }

    @Test func aStoreThatIsRefused() throws {
        try Harbour.makeStore(at: folder.file())
        try Harbour.execute(folder.file(), "CREATE VIEW crates AS SELECT * FROM Crate")
        for command in ["status", "migrate"] {
            let run = try run(command, store, "--model", Harbour.path, "--format", "json")
            #expect(run.status == 3)
            let json = try run.json()
            #expect(json["state"] as? String == "refused")
            let error = try #require(json["error"] as? String)
            #expect(error.contains("crates") && run.messages == "error: \(error)\n")
        }
        let missing = try run("status", folder.file("none.store").path, "--format", "json")
        #expect(missing.status == 4)
        #expect(try missing.json()["state"] as? String == "unavailable")
        #expect(missing.messages == "error: There is no store at \(folder.file("none.store").path).\n")
    }

    /// Without a model, the report has everything that does not need one.
    @Test func withoutAModel() throws {
        try Harbour.makeStore(at: folder.file())
        let run = try run("status", store)
        #expect(run.status == 0)
        let metadata = try ModelContainer.metadata(ofStoreAt: folder.file())
        #expect(
            run.results == """
                A store of the model "Harbour", version "Harbour", \(metadata.storeIdentifier).
                Entities: \(metadata.entityNames.sorted().joined(separator: ", "))
                Name its model with --model to see the effects of opening it.

                """)
        #expect(try self.run("status", store, "--format", "json").json()["state"] as? String == "unknown")
        let migrate = try self.run("migrate", store)
        #expect(migrate.status == 64)
        #expect(migrate.messages.contains("Name the model of the store with --model: \"Harbour\"."))
    }

    /// The model of the store's name is found in the package.
    @Test func theModelOfThePackage() throws {
        try Harbour.makeStore(at: folder.file())
        try Data().write(to: folder.file("Package.swift"))
        let models = folder.file("Models")
        try FileManager.default.createDirectory(at: models, withIntermediateDirectories: true)
        let model = models.appending(path: "Harbour.xcdatamodeld")
        try FileManager.default.copyItem(at: URL(fileURLWithPath: Harbour.path), to: model)
        let status = try run("status", store)
        #expect(status.status == 2)
        #expect(status.results.hasPrefix("Compared with Models/Harbour.xcdatamodeld:\nTo migrate: \"Harbour\" -> "))
        let migrated = try ToolProgram.run(["migrate", store, "--format", "json"], in: models)
        #expect(migrated.status == 0)
        #expect(try migrated.json()["model"] as? String == "Harbour.xcdatamodeld")
        // Two models of one name: the caller must choose one.
        try FileManager.default.createDirectory(at: folder.file("Others"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: model, to: folder.file("Others/Harbour.xcdatamodeld"))
        #expect(try run("status", store).results.contains("Name its model with --model"))
    }

    /// The report of a Core Data store contains everything that does not need a model.
    @Test func aStoreOfCoreDatas() throws {
        let identifier = "B3B0A1C6-0E0B-4E0B-8F8E-2F8B0F1E6E4D"
        let list: [String: Any] = [
            "NSStoreModelVersionIdentifiers": ["1.0.0"],
            "NSStoreModelVersionHashes": ["Trip": Data([1]), "Stop": Data([2])],
        ]
        let bytes = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
            .map { String(format: "%02x", $0) }.joined()
        let connection = try Connection(opening: folder.file("old.sqlite").path, flags: 6)
        for statement in [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
            "INSERT INTO Z_METADATA VALUES (1, '\(identifier)', x'\(bytes)')",
        ] { try connection.execute(statement) }
        let run = try run("status", "old.sqlite")
        #expect(run.status == 0)
        #expect(
            run.results == """
                A Core Data store of 2 entities, \(identifier), version "1.0.0".
                Entities: Stop, Trip
                Name its model with --model to learn which version of it that is.

                """)
        let json = try self.run("status", "old.sqlite", "--format", "json").json()
        #expect(json["kind"] as? String == "coreData" && json["state"] as? String == "unknown")
        #expect(json["versionIdentifiers"] as? [String] == ["1.0.0"])
        #expect(json["entities"] as? [String] == ["Stop", "Trip"])
    }

    #if os(Linux)
        /// On a terminal, progress is one line, which is erased at the end.
        @Test func progressInPlace() throws {
            try Harbour.makeStore(at: folder.file())
            let shown = try ToolProgram.onTerminal(["migrate", store, "--model", Harbour.path], in: folder.url)
            let lines = shown.components(separatedBy: "\r\u{1B}[K")
            #expect(lines.count > 2)
            #expect(lines.dropFirst().dropLast().allSatisfy { $0.hasPrefix("[") && !$0.contains("\n") })
            #expect(lines.dropFirst().contains { $0.hasSuffix("%  Harbour -> Harbour 2") })
            #expect(lines.last == "")
        }
    #endif
}
