import Ashlar
import AshlarImport
import Foundation
import TestDatabase
import Testing

/// The states that an old store's file may be in, and malicious files.
@Suite struct OldFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ old: URL) throws -> ModelContainer {
        try ModelContainer(
            for: MuseumModel.self, configurations: ModelConfiguration(url: folder.file("new.store"), importing: old))
    }

    private func count(_ container: ModelContainer) throws -> Int {
        try ModelContext(container).fetchCount(Person.all)
    }

    @Test("row 168: a rollback journal's mode", arguments: ["DELETE", "TRUNCATE", "PERSIST"])
    func rollbackJournal(_ mode: String) throws {
        let store = try MuseumStore(folder.file("Museum.sqlite"), journalMode: mode)
        try store.fill()
        let before = try store.content()
        #expect(try count(open(store.url)) == 3)
        #expect(try store.content() == before)
    }

    /// The changes of a program that was killed are in the log alone.
    @Test("row 168: a log that a crash left, with its index and without", arguments: [true, false])
    func log(_ hasIndex: Bool) throws {
        let living = try MuseumStore(folder.file("living.sqlite"))
        let database = try Database(living.url)
        try database.run("PRAGMA wal_autocheckpoint = 0", "INSERT INTO ZTAG VALUES (9, 8, 1, 'in the log')")
        let old = folder.file("Museum.sqlite")
        for suffix in hasIndex ? ["", "-wal", "-shm"] : ["", "-wal"] {
            try FileManager.default.copyItem(atPath: living.url.path + suffix, toPath: old.path + suffix)
        }
        let before = try folder.names().map { try Data(contentsOf: folder.file($0)) }
        let container = try open(old)
        #expect(try ModelContext(container).fetch(Keyword.all).map(\.label) == ["in the log"])
        let names = try folder.names().filter { !$0.contains("new.store") }
        #expect(try names.map { try Data(contentsOf: folder.file($0)) } == before)
        withExtendedLifetime(database) {}
    }

    @Test("row 168: a store that another program has open is read as it is at one moment")
    func open() throws {
        let store = try MuseumStore(folder.file("Museum.sqlite"))
        try store.fill()
        let database = try Database(store.url)
        try database.run(
            "INSERT INTO ZTAG VALUES (9, 8, 1, 'new')", "BEGIN", "INSERT INTO ZTAG VALUES (10, 8, 1, 'not yet')")
        let container = try open(store.url)
        #expect(try ModelContext(container).fetchCount(Keyword.all) == 4)
        try database.run("COMMIT")
        // For an import in place, no other connection may have the store open.
        let configuration = ModelConfiguration(url: store.url, importing: store.url)
        #expect {
            _ = try ModelContainer(for: MuseumModel.self, configurations: configuration)
        } throws: {
            ($0 as? ImportError)?.code == .inUse
        }
        #expect(try database.column("SELECT count(*) FROM ZTAG") == ["5"])
    }

    @Test("row 168: a journal of a transaction that a crash ended")
    func hotJournal() throws {
        let living = try MuseumStore(folder.file("living.sqlite"), journalMode: "DELETE")
        try living.run("INSERT INTO ZTAG VALUES (1, 8, 1, 'committed')")
        let database = try Database(living.url)
        // SQLite writes pages that do not fit into memory to the file before the commit.
        try database.run("PRAGMA cache_size = 1", "BEGIN", "UPDATE ZTAG SET ZLABEL = 'changed'")
        for number in 100..<400 {
            try database.run("INSERT INTO ZTAG VALUES (\(number), 8, 1, '\(String(repeating: "x", count: 900))')")
        }
        let old = folder.file("Museum.sqlite")
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: living.url.path + suffix, toPath: old.path + suffix)
        }
        try database.run("ROLLBACK")
        let before = try ["", "-journal"].map { try Data(contentsOf: folder.file("Museum.sqlite" + $0)) }
        #expect(try ModelContext(open(old)).fetch(Keyword.all).map(\.label) == ["committed"])
        #expect(try ["", "-journal"].map { try Data(contentsOf: folder.file("Museum.sqlite" + $0)) } == before)
        #expect(try folder.names().filter { $0.hasPrefix(".") } == [])
    }

    /// Hostile schemas, which Core Data never writes.
    static let hostile = [
        ["ALTER TABLE ZTAG RENAME TO other", "CREATE VIEW ZTAG AS SELECT * FROM other"],
        [
            "DROP TABLE ZTAG",
            "CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL AS (abs(-9223372036854775808)))",
        ],
        ["DROP TABLE ZTAG", "CREATE TABLE ZTAG (Z_PK TEXT, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR)"],
        [
            "DROP TABLE ZTAG",
            "CREATE TABLE ZTAG (Z_PK INTEGER, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR, PRIMARY KEY (Z_PK, Z_ENT)) WITHOUT ROWID",
        ],
        [
            "DROP TABLE Z_PRIMARYKEY",
            "CREATE VIEW Z_PRIMARYKEY AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r) SELECT n AS Z_ENT, 'x' AS Z_NAME, 0 AS Z_SUPER, 0 AS Z_MAX FROM r",
        ],
        ["UPDATE Z_METADATA SET Z_PLIST = x'00'"], ["UPDATE Z_METADATA SET Z_UUID = 'none'"],
        ["DELETE FROM Z_METADATA"],
        ["UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT"], ["UPDATE Z_PRIMARYKEY SET Z_NAME = 'Person' WHERE Z_ENT = 0"],
        ["DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 8"], ["INSERT INTO Z_PRIMARYKEY VALUES (9, 'Ghost', 0, 0)"],
        ["ALTER TABLE ZTAG ADD COLUMN ZMORE INTEGER"], ["ALTER TABLE ZTAG DROP COLUMN ZLABEL"], ["DROP TABLE Z_1TAGS"],
        ["CREATE TABLE \"x\" (a)"],
    ]

    @Test("row 168: a schema that is none of Core Data's", arguments: hostile)
    func hostileSchema(_ statements: [String]) throws {
        let store = try MuseumStore(folder.file("Museum.sqlite"))
        try store.fill()
        try Database(store.url).run(statements)
        let before = try store.content()
        let result = Result { try open(store.url) }
        if case .failure(let error) = result {
            #expect(error is ImportError, "\(error)")
            #expect(try folder.names().filter { $0.contains("new.store") } == [])
        } else {
            // The change has no effect.
            #expect(statements[0].contains("Z_ENT = 0"))
        }
        #expect(try store.content() == before)
    }

    /// A trigger in the old store is not run, since nothing is written there.
    @Test("row 168: triggers are not run") func triggers() throws {
        let store = try MuseumStore(folder.file("Museum.sqlite"))
        try store.fill()
        try store.run("CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN SELECT no_such_function(); END")
        #expect(try count(open(store.url)) == 3)
    }

    @Test("row 168: files that are cut off, or of which bytes are changed") func damaged() throws {
        let store = try MuseumStore(folder.file("Museum.sqlite"), journalMode: "DELETE")
        try store.fill()
        let whole = try Data(contentsOf: store.url)
        for length in stride(from: 0, to: whole.count, by: 1777) {
            try whole.prefix(length).write(to: store.url)
            expectTypedError(store)
        }
        for position in stride(from: 1, to: whole.count, by: 997) {
            var bytes = whole
            bytes[position] ^= 1 << UInt8(position % 8)
            try bytes.write(to: store.url)
            expectTypedError(store, orWhole: true)
        }
    }

    /// Expects an unchanged file and one of Ashlar's errors for a damaged store. With `orWhole`, the import may succeed
    /// instead: the damage may be harmless, or change only a value.
    private func expectTypedError(_ store: MuseumStore, orWhole: Bool = false) {
        let before = try? Data(contentsOf: store.url)
        do {
            let container = try open(store.url)
            #expect(orWhole || before?.isEmpty == true)
            #expect(orWhole ? try count(container) == 3 : true)
        } catch {
            #expect(error is any AshlarError, "\(error)")
        }
        #expect((try? Data(contentsOf: store.url)) == before)
        for name in (try? folder.names()) ?? [] where name.contains("new.store") {
            try? FileManager.default.removeItem(at: folder.file(name))
        }
    }

    @Test("row 168: what is no store of Core Data's") func others() throws {
        let text = folder.file("text.sqlite")
        try Data("no database, but long enough to be looked at: \(String(repeating: "x", count: 5000))".utf8).write(
            to: text)
        let other = folder.file("other.sqlite")
        try Database(other).run("CREATE TABLE t (a)")
        for url in [text, other] {
            #expect {
                _ = try open(url)
            } throws: {
                ($0 as? ImportError)?.code == .notACoreDataStore
            }
            #expect(try !ModelContainer.isCoreDataStore(at: url))
        }
    }
}
