import ArgumentParser
import AshlarSQLite
import DataModel
import Foundation
import GeneratorPipeline
import PlannedModel
import Testing

@_spi(Generated) @testable import Ashlar
@testable import AshlarTool

/// `ashlar status` and `ashlar migrate`.
@Suite struct CommandTests {
    let folder: TemporaryFolder
    var store: String { folder.file().path }

    init() throws { folder = try TemporaryFolder() }

    /// The status that a command ends with.
    private func status(_ arguments: String...) throws -> Int32 {
        do {
            var command = try AshlarTool.parseAsRoot(arguments)
            try command.run()
            return 0
        } catch {
            return AshlarTool.status(for: error)
        }
    }

    @Test func aStoreOfAnOldVersion() throws {
        try Harbour.makeStore(at: folder.file())
        let before = try Data(contentsOf: folder.file())
        let backup = folder.file("backup.store").path
        #expect(try status("status", store, "--model", Harbour.path) == 2)
        #expect(try status("migrate", store, "--model", Harbour.path, "--dry-run", "--backup", backup) == 2)
        #expect(try Data(contentsOf: folder.file()) == before)
        #expect(try folder.names() == ["harbour.store"])
        #expect(try status("migrate", store, "--model", Harbour.path, "--backup", backup) == 0)
        try Harbour.expectCurrent(folder.file())
        #expect(try ModelContainer.metadata(ofStoreAt: folder.file("backup.store")).versionName == "Harbour")
        for command in ["status", "migrate"] {
            #expect(try status(command, store, "--model", Harbour.path) == 0)
        }
        #expect(
            try ModelContainer.migrationHistory(ofStoreAt: folder.file()).allSatisfy { $0.program == "ashlar migrate" })
    }

    /// After the tool's migration, the program has nothing left to do.
    @Test func theToolAndTheRuntimeKnowTheSame() throws {
        try Harbour.makeStore(at: folder.file())
        #expect(try status("migrate", store, "--model", Harbour.path, "--defer-removals") == 0)
        let bytes = try Data(contentsOf: folder.file())
        try Harbour.open(folder.file())
        #expect(try Data(contentsOf: folder.file()) == bytes)
        #expect(try !DeferredRemoval.all(Harbour.connect(folder.file())).isEmpty)
    }

    @Test func aStoreThatCannotBeMigrated() throws {
        try Harbour.makeStore(at: folder.file())
        try Harbour.execute(folder.file(), "CREATE VIEW crates AS SELECT * FROM Crate")
        for command in ["status", "migrate"] {
            #expect(try status(command, store, "--model", Harbour.path) == 3)
        }
    }

    /// The triggers of a history are made from the classes, which the tool lacks.
    @Test func aStoreThatRecordsItsHistory() throws {
        let history = StoreOptions(historyTracking: true)
        try Harbour.open(folder.file(), Harbour.model(1), history)
        let before = try Data(contentsOf: folder.file())
        #expect(try status("status", store, "--model", Harbour.path) == 2)
        #expect(try status("migrate", store, "--model", Harbour.path) == 3)
        #expect(try Data(contentsOf: folder.file()) == before)
    }

    @Test func whatIsNoStore() throws {
        #expect(try status("status", store, "--model", Harbour.path) == 4)
        #expect(try status("migrate", store, "--model", Harbour.path) == 4)
        try Data("text".utf8).write(to: folder.file())
        #expect(try status("status", store, "--model", Harbour.path) == 3)
        #expect(try status("status", store, "--model", folder.file("none.xcdatamodeld").path) == 1)
        #expect(try status("status") == 64)
        #expect(try folder.names() == ["harbour.store"])
    }

    @Test func aSchemaThatIsToBeUpdated() throws {
        try Harbour.open(folder.file())
        try Harbour.execute(folder.file(), "DROP INDEX \"index$Ship$byName\"")
        #expect(try status("status", store, "--model", Harbour.path) == 2)
        let planned = try ModelContainer.plannedMigration(
            ofStoreAt: folder.file(), for: Harbour.current, options: MigrationOptions())
        #expect(planned.schemaChanges == ["index$Ship$byName"] && !planned.isMigration && planned.isNeeded)
        #expect(try status("migrate", store, "--model", Harbour.path) == 0)
        try Harbour.expectCurrent(folder.file())
        #expect(try ModelContainer.migrationHistory(ofStoreAt: folder.file()).map(\.kind) == [.schemaUpdate])
    }

    /// A store of one configuration is migrated with only the tables of its entities; no others are made.
    @Test func aStoreOfSomeEntities() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("AshlarTests/Models/Outpost.xcdatamodeld").path
        var options = GeneratorConfiguration()
        options.currentVersion = ["Outpost": "Outpost"]
        let plan = try #require(ModelPlan.make(modelPath: path, configuration: options).plan)
        let first = ModelDescription(plan)
        let map = ModelDescription.Configuration("Map", entities: ["Landmark", "Visit"])
        let model = ModelDescription(
            name: first.name, entities: [], versions: first.versions, schema: first.schema, configurations: [map],
            parts: first.parts)
        let configuration = ModelConfiguration(configuration: map, url: folder.file())
        let contents = try StoreContent.contents(of: model, [configuration])
        try StoreOpener(contents[0], configuration).open().pool.write { connection in
            try connection.execute("INSERT INTO Landmark (name, latitude, longitude) VALUES ('a', 1, 2)")
            try connection.execute("INSERT INTO Visit (day, landmark) VALUES (3, 1)")
        }
        #expect(try status("status", store, "--model", path) == 2)
        #expect(try status("migrate", store, "--model", path) == 0)
        #expect(try status("status", store, "--model", path) == 0)
        let connection = try Harbour.connect(folder.file())
        let tables = try SchemaCatalogue(connection).tables.keys.filter { !$0.contains("$") }
        #expect(tables.sorted() == ["Landmark", "Picture", "Visit"])
        #expect(try connection.integer("SELECT \"date\" FROM \"Visit\"") == 3)
        #expect(try ModelContainer.metadata(ofStoreAt: folder.file()).entityNames == Set(tables))
    }

    // MARK: Custom stages

    /// Makes a package with the model and a target whose migration has a stage, which one of its files names.
    private func package(_ file: String, _ text: String) throws -> String {
        let root = folder.file("package")
        let model = root.appendingPathComponent("Models/Harbour.xcdatamodeld")
        try FileManager.default.createDirectory(
            at: model.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: URL(fileURLWithPath: Harbour.path), to: model)
        try Data().write(to: root.appendingPathComponent("Package.swift"))
        let url = root.appendingPathComponent(file)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        return model.path
    }

    /// Commands refuse to make rows that only the program's own code can make, even if a file does not mention the
    /// stage.
    @Test(arguments: [
        ("Models/Harbour.xcdatamodeld/ashlar.json", #"{"migrationStages": ["Harbour 3"]}"#),
        (
            "Sources/App/ashlar.json",
            #"{"models": ["Models/Harbour.xcdatamodeld"], "migrationStages": {"Harbour": ["Harbour 3"]}}"#
        ),
        ("Sources/Harbour/ashlar.json", #"{"migrationStages": {"Harbour": ["Harbour 3"]}}"#),
    ])
    func aStageIsNotSkipped(_ file: String, _ text: String) throws {
        let model = try package(file, text)
        try Harbour.makeStore(at: folder.file())
        let before = try Data(contentsOf: folder.file())
        #expect(try status("status", store, "--model", model) == 3)
        #expect(try status("migrate", store, "--model", model, "--dry-run") == 3)
        #expect(try status("migrate", store, "--model", model) == 3)
        #expect(try Data(contentsOf: folder.file()) == before)
        let metadata = try ModelContainer.metadata(ofStoreAt: folder.file())
        #expect(metadata.versionName == "Harbour")
        let stages = try description(model)
        let error = #expect(throws: StoreError.self) {
            try ModelContainer.plannedMigration(ofStoreAt: folder.file(), for: stages, options: MigrationOptions())
        }
        #expect(error?.description.contains("to \"Harbour 3\" needs a custom stage") == true)
        // The stage leads to the store's own version, and is not needed any more.
        try Harbour.open(folder.file("newer.store"), Harbour.model(3))
        #expect(try status("migrate", folder.file("newer.store").path, "--model", model) == 0)
    }

    private func description(_ model: String) throws -> ModelDescription {
        var diagnostics = Diagnostics()
        let options = ConfigurationFinder.configuration(ofModelAtPath: model, reportingTo: &diagnostics)
        let configuration = try #require(options)
        return ModelDescription(try #require(ModelPlan.make(modelPath: model, configuration: configuration).plan))
    }

    @Test(arguments: ["--ashlar-json", "--configuration"])
    func aFileThatIsNamedCounts(_ option: String) throws {
        let file = folder.file("some.json")
        try Data(#"{"migrationStages": {"Harbour": ["Harbour 2"]}}"#.utf8).write(to: file)
        try Harbour.makeStore(at: folder.file())
        #expect(try status("migrate", store, "--model", Harbour.path, option, file.path) == 3)
        try Data(#"{"currentVersion": {"Harbour": "Harbour"}}"#.utf8).write(to: file)
        for arguments in [["status", store, "--model", Harbour.path], ["check", Harbour.path]] {
            var command = try AshlarTool.parseAsRoot(arguments + [option, file.path])
            try command.run()
        }
        #expect(try status("check", Harbour.path, option, folder.file("none.json").path) == 1)
    }

    /// `check`, `sql`, `advise`, `lock` and `diagram` use the settings of a model's builds.
    @Test func everyCommandKnowsWhatTheBuildKnows() throws {
        let model = try package("Sources/Harbour/ashlar.json", #"{"migrationStages": {"Harbour": ["Harbour"]}}"#)
        for arguments in [
            ["check", model], ["sql", model], ["advise", model], ["status", store, "--model", model],
            ["generate", model, "--output", folder.file("code").path],
        ] {
            #expect(throws: ExitCode(1)) {
                var command = try AshlarTool.parseAsRoot(arguments)
                try command.run()
            }
        }
        let file = folder.file("package/Sources/Harbour/ashlar.json")
        try Data(#"{"versions": {"Harbour": ["Harbour"]}}"#.utf8).write(to: file)
        for arguments in [["lock", model], ["diagram", model], ["check", model]] {
            #expect(throws: ExitCode(1)) {
                var command = try AshlarTool.parseAsRoot(arguments)
                try command.run()
            }
        }
    }
}
