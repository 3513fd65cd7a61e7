import AshlarSQLite
import Foundation
import Testing

@testable import Ashlar

/// The copy that is made before a migration, and the space that is needed for it.
@Suite struct BackupTests {
    let folder: TemporaryFolder
    var url: URL { folder.file() }
    var backup: URL { folder.file("backup.store") }

    init() throws {
        folder = try TemporaryFolder()
        try Harbour.makeStore(at: folder.file())
    }

    @Test("row 165: a backup") func aBackup() throws {
        let files = StoreFile(url: url).supportFolder.appendingPathComponent("_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        let name = UUID().uuidString
        try Data("large".utf8).write(to: files.appendingPathComponent(name))
        try Harbour.execute(url, "UPDATE Ship SET photo = CAST('ashlar$file:\(name)' AS BLOB) WHERE id$ = 1")
        let before = try Harbour.rows(of: url)
        try Harbour.open(url, migration: MigrationOptions(backup: backup))
        #expect(try Harbour.rows(of: backup) == before)
        let copied = StoreFile(url: backup).supportFolder.appendingPathComponent("_EXTERNAL_DATA/\(name)")
        #expect(try Data(contentsOf: copied) == Data("large".utf8))
        // The backup is a store that can be opened and migrated, like the original.
        let metadata = try ModelContainer.metadata(ofStoreAt: backup)
        #expect(metadata.versionName == "Harbour")
        #expect(try metadata.storeIdentifier == ModelContainer.metadata(ofStoreAt: url).storeIdentifier)
        #expect(try Harbour.connect(backup).integer("PRAGMA schema_version") == metadata.schemaVersion)
        try Harbour.open(backup)
        try Harbour.expectCurrent(backup)
    }

    /// A store that is up to date is not copied.
    @Test func noneWhereNothingIsDone() throws {
        try Harbour.open(url)
        try Harbour.open(url, migration: MigrationOptions(backup: backup))
        #expect(try folder.names() == ["harbour.store"])
    }

    @Test func anOlderCopyIsReplaced() throws {
        try Harbour.open(url, Harbour.model(2), migration: MigrationOptions(backup: backup))
        #expect(try ModelContainer.metadata(ofStoreAt: backup).versionName == "Harbour")
        let before = try Harbour.rows(of: url)
        try Harbour.open(url, migration: MigrationOptions(backup: backup))
        #expect(try Harbour.rows(of: backup) == before)
        #expect(try ModelContainer.metadata(ofStoreAt: backup).versionName == "Harbour 2")
    }

    @Test func anotherFileIsNotReplaced() throws {
        let before = try Harbour.rows(of: url)
        let files: [() throws -> Void] = [
            { try Data("somebody's".utf8).write(to: backup) },
            {
                try FileManager.default.removeItem(at: backup)
                try Harbour.makeStore(at: backup)
            },
        ]
        for make in files {
            try make()
            let bytes = try Data(contentsOf: backup)
            #expect {
                try Harbour.open(url, migration: MigrationOptions(backup: backup))
            } throws: {
                if case StoreError.fileExists(backup) = $0 { true } else { false }
            }
            #expect(try Data(contentsOf: backup) == bytes)
        }
        #expect {
            try Harbour.open(url, migration: MigrationOptions(backup: url))
        } throws: {
            if case StoreError.fileExists(url) = $0 { true } else { false }
        }
        #expect {
            try Harbour.open(url, migration: MigrationOptions(backup: folder.file("none/backup.store")))
        } throws: {
            if case StoreError.missingFolder = $0 { true } else { false }
        }
        #expect(try Harbour.rows(of: url) == before)
    }

    // MARK: Space

    private func migrator(_ model: ModelDescription, _ freeSpace: FreeSpace, backup: URL? = nil) -> StoreMigrator {
        var migrator = StoreMigrator(model: model, url: url, isWritable: true)
        migrator.options.backup = backup
        migrator.freeSpace = freeSpace
        return migrator
    }

    private func migrate(_ migrator: StoreMigrator) throws {
        let connection = try Harbour.connect(url)
        _ = try migrator.bringUpToDate(connection, try #require(try StoreMetadata(connection)))
    }

    @Test("row 165: too little room") func tooLittleRoom() throws {
        let before = try Harbour.rows(of: url)
        let planned = try ModelContainer.plannedMigration(
            ofStoreAt: url, for: Harbour.current, options: MigrationOptions())
        let used = try Harbour.connect(url).usedBytes()
        let folderURL = folder.url
        for (backup, needed) in [(nil, planned.neededBytes), (backup, planned.neededBytes + used)] {
            #expect {
                try migrate(migrator(Harbour.current, FreeSpace { _ in (needed - 1, 1) }, backup: backup))
            } throws: { error in
                guard case StoreError.insufficientSpace(let url, needed, let available) = error else { return false }
                return available == needed - 1 && url.path == folderURL.path && "\(error)".contains("\(needed)")
            }
            #expect(try Harbour.rows(of: url) == before)
            #expect(try folder.names() == ["harbour.store"])
        }
        // If the free space is unknown or sufficient, the store is migrated.
        try migrate(migrator(Harbour.model(2), FreeSpace { _ in nil }))
        try migrate(migrator(Harbour.current, FreeSpace { _ in (planned.neededBytes, 1) }))
        try Harbour.expectCurrent(url)
    }

    @Test func roomOnSeveralVolumes() throws {
        let space = FreeSpace { folder in folder.path == "/a" || folder.path == "/b" ? (100, 1) : (50, 2) }
        let (a, b, c) = (URL(fileURLWithPath: "/a"), URL(fileURLWithPath: "/b"), URL(fileURLWithPath: "/c"))
        try space.require([(a, 60), (b, 40), (c, 50)])
        for needs in [[(a, 60), (b, 41), (c, 0)], [(a, 1), (c, 51)]] as [[(URL, Int64)]] {
            #expect(throws: StoreError.self) { try space.require(needs) }
        }
        #expect(try #require(FreeSpace.system.look(folder.url)).bytes > 0)
        #expect(FileManager.default.isWritableFile(atPath: FreeSpace.temporaryFolder.path))
    }

    /// The estimated space is sufficient, and not many times the space that is needed.
    @Test(arguments: [(1000, 10), (400, 4000)]) func theEstimate(_ ships: Int, _ photo: Int) throws {
        let store = folder.file("large.store")
        try Harbour.makeStore(at: store, ships: ships, photo: photo)
        let planned = try ModelContainer.plannedMigration(
            ofStoreAt: store, for: Harbour.current, options: MigrationOptions())
        let size = { (suffix: String) in
            let attributes = try? FileManager.default.attributesOfItem(atPath: store.path + suffix)
            return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
        }
        let before = size("")
        let connection = try Harbour.connect(store)
        // A reader keeps the log from being emptied.
        let reader = try Harbour.connect(store)
        try reader.execute("BEGIN")
        _ = try reader.integer("SELECT count(*) FROM Ship")
        let migrator = StoreMigrator(model: Harbour.current, url: store, isWritable: true)
        _ = try migrator.bringUpToDate(connection, try #require(try StoreMetadata(connection)))
        let log = size("-wal")
        try reader.execute("COMMIT")
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let grown = log + max(0, size("") - before)
        #expect(planned.neededBytes > grown, "\(planned.neededBytes) \(grown)")
        #expect(planned.neededBytes < 6 * grown, "\(planned.neededBytes) \(grown)")
    }

    /// Statements whose cost does not depend on the rows are estimated without a scan.
    @Test func nothingIsNeededForWhatSQLiteDoesInPlace() throws {
        let connection = try Harbour.connect(url)
        let statements = [
            "ALTER TABLE Ship ADD COLUMN a TEXT", "ALTER TABLE Ship RENAME COLUMN a TO b",
            "ALTER TABLE Ship RENAME TO Vessel", "CREATE TABLE t (a)", "DROP INDEX \"index$Ship$byCode\"",
        ]
        let estimate = try MigrationEstimate(statements.map(StatementWork.init(writtenByHand:)), connection)
        #expect(estimate.rows == [0, 0, 0, 0, 0] && estimate.storeBytes == 0 && estimate.temporaryBytes == 0)
        #expect(estimate.writtenTables == [] && estimate.reducedTables == [])
    }

    @Test(
        arguments: [
            (
                "INSERT INTO \"a b\" (x) SELECT y FROM \"c\"\"d\" AS q JOIN e ON 1", StatementWork.Action.copy,
                "a b", ["c\"d", "e"]
            ),
            ("UPDATE \"t\" SET x = (SELECT 1 FROM u)", .update, "t", ["u"]),
            ("DELETE FROM \"t\" WHERE a = 'FROM x'", .delete, "t", ["t"]),
            ("CREATE UNIQUE INDEX \"i\"\n ON \"t\" (a)", .makeIndex, "t", []),
            ("CREATE INDEX i ON t (a)", .makeIndex, "t", []),
            ("DROP TABLE IF EXISTS \"t\"", .dropTable, "t", []),
            ("ALTER TABLE \"t\" DROP COLUMN \"c\"", .dropColumn("c"), "t", []),
            ("ALTER TABLE \"t$$new\" RENAME TO \"t\"", .renameTable("t"), "t$$new", []),
            ("ALTER TABLE t RENAME COLUMN a TO b", .changeSchema, "t", []),
            ("CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM u; END", .changeSchema, "", []),
            ("SELECT a FROM t -- FROM u", .query, "", ["t"]),
            ("WITH n AS (SELECT 1 FROM a) INSERT INTO b SELECT * FROM n", .unknown, "", ["a", "n"]),
        ])
    func whatAStatementDoes(
        _ sql: String, _ action: StatementWork.Action, _ table: String, _ sources: [String]
    ) {
        let work = StatementWork(writtenByHand: sql)
        #expect(work.action == action && work.table == table && work.sources == sources)
        #expect(work.isReplacement == (table == "t$$new"))
    }

    /// The declared work of a planned statement equals the work that is read from its text.
    @Test func whatAPlannedStatementDoes() {
        var count = 0
        for version in Harbour.current.versions {
            for statement in version.migration where statement.purpose != .custom {
                let (said, read) = (StatementWork(statement.operation), StatementWork(writtenByHand: statement.sql))
                // A dropped R-tree removes no rows of the model.
                if case .dropVirtualTable = statement.operation { continue }
                #expect(said.action == read.action && said.isReplacement == read.isReplacement, "\(statement.sql)")
                if said.action != .changeSchema { #expect(said.table == read.table, "\(statement.sql)") }
                if said.action == .query { #expect(Set(said.sources).isSubset(of: read.sources), "\(statement.sql)") }
                count += 1
            }
        }
        #expect(count > 10)
    }
}
