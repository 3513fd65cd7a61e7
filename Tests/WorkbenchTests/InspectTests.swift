import AshlarSQLite
import Foundation
import Testing
import ToolProgram

/// `ashlar inspect`.
@Suite(.enabled(if: ToolProgram.isThere)) struct InspectTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String...) throws -> ToolProgram.Run {
        try ToolProgram.run(["inspect"] + arguments, in: folder.url)
    }

    private func list(_ json: [String: Any], _ key: String) throws -> [[String: Any]] {
        try #require(json[key] as? [[String: Any]])
    }

    private func named(_ name: String, in list: [[String: Any]]) throws -> [String: Any] {
        try #require(list.first { $0["name"] as? String == name })
    }

    private static let library = """
            <entity name="Book" isAbstract="YES">
                <attribute name="title" attributeType="String" defaultValueString=""/>
                <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                <relationship name="authors" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Author" \
        inverseName="books" inverseEntity="Author"/>
                <fetchIndex name="byTitle"><fetchIndexElement property="title" type="Binary" order="ascending"/></fetchIndex>
            </entity>
            <entity name="Novel" parentEntity="Book"/>
            <entity name="Manual" parentEntity="Book"/>
            <entity name="Author">
                <attribute name="name" attributeType="String" defaultValueString=""/>
                <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="authors" inverseEntity="Book"/>
            </entity>
        """

    private func makeLibrary(_ name: String = "library.store") throws -> URL {
        let model = try folder.writeModel("Library", [("Library", Self.library)])
        let url = folder.file(name)
        try TestStore.make(
            url, model: model,
            [
                "INSERT INTO Book (entity$, title) VALUES ('Novel', 'a'), ('Novel', 'b'), ('Manual', 'c')",
                "INSERT INTO Author (name) VALUES ('x'), ('y')",
                "INSERT INTO \"Author$books\" (source$, target$) VALUES (1, 1), (1, 2)",
            ])
        return url
    }

    @Test func aStoreOfOurs() throws {
        let store = try makeLibrary()
        let before = try folder.snapshot()
        let run = try run(store.path, "--format", "json")
        #expect(run.status == 0 && run.messages == "")
        #expect(try folder.snapshot() == before)
        let json = try run.json()
        #expect(json["kind"] as? String == "ashlar" && json["version"] as? Int == 1)
        #expect(json["modelName"] as? String == "Library" && json["modelVersion"] as? String == "Library")
        let entities = try list(json, "entities")
        #expect(entities.map { $0["name"] as? String } == ["Author", "Book", "Manual", "Novel"])
        #expect(entities.map { $0["rows"] as? Int } == [2, 0, 1, 2])
        #expect(try named("Novel", in: entities)["table"] as? String == "Book")
        #expect(try #require(try named("Book", in: entities)["bytes"] as? Int) > 0)
        let tables = try list(json, "tables")
        let pairs = try #require(tables.first { $0["role"] as? String == "pairs" })
        #expect(pairs["rows"] as? Int == 2)
        #expect(tables.filter { $0["role"] as? String == "other" }.isEmpty)
        let index = try named("index$Book$byTitle", in: try list(json, "indexes"))
        #expect(index["columns"] as? [String] == ["title"] && index["isUnique"] as? Bool == false)
        #expect(try #require(index["bytes"] as? Int) > 0 && index["recordedStatements"] == nil)
        #expect((json["integrity"] as? [String: Any])?["isSound"] as? Bool == true)
        #expect(json["problems"] as? [String] == [])
        let text = try self.run(store.path)
        #expect(text.results.contains("a store of the model \"Library\", version \"Library\", "))
        #expect(text.results.contains("Integrity: sound") && text.results.contains("History: none"))
        // The rows of the root entity do not name an entity.
        try TestStore.execute(store, ["INSERT INTO Book DEFAULT VALUES"])
        let after = try list(try self.run(store.path, "--format", "json").json(), "entities")
        #expect(after.map { $0["rows"] as? Int } == [2, 1, 1, 2])
    }

    /// The report accounts for all bytes of the file: those of tables, indexes, and pages that nothing uses.
    @Test func theBytesAreThoseOfTheFile() throws {
        let store = try makeLibrary()
        let json = try run(store.path, "--format", "json").json()
        let parts = try (list(json, "tables") + list(json, "indexes")).compactMap { $0["bytes"] as? Int }
        let pages = try #require(json["pages"] as? [String: Int])
        let size = try #require(pages["size"])
        // SQLite's own table of the schema is the first page.
        #expect(parts.reduce(0, +) + size * (1 + (pages["free"] ?? 0)) == size * (pages["count"] ?? 0))
        #expect(json["bytes"] as? Int == size * (pages["count"] ?? 0))
    }

    @Test func comparedWithAModel() throws {
        let store = try makeLibrary()
        let run = try run(store.path, "--model", "Library.xcdatamodeld", "--format", "json")
        #expect(run.status == 0)
        let comparison = try #require(try run.json()["comparison"] as? [String: Any])
        #expect(comparison["state"] as? String == "current")
    }

    @Test func whichIndexesRecordedStatementsUse() throws {
        let store = try makeLibrary()
        let lines = [
            #"{"sql":"SELECT title FROM Book WHERE title = ?1","count":7,"microseconds":10,"rows":1}"#,
            #"{"sql":"SELECT nothing FROM Nowhere","count":1,"microseconds":10,"rows":1}"#,
            #"{"sql":"DELETE FROM Book","count":2,"microseconds":10,"rows":1}"#,
        ]
        try lines.joined(separator: "\n").write(to: folder.file("queries"), atomically: true, encoding: .utf8)
        let before = try Data(contentsOf: store)
        let json = try run(store.path, "--queries", "queries", "--format", "json").json()
        let indexes = try list(json, "indexes")
        let used = try named("index$Book$byTitle", in: indexes)
        #expect(used["recordedStatements"] as? Int == 1 && used["recordedRuns"] as? Int == 7)
        #expect(indexes.filter { $0["recordedStatements"] as? Int == 0 }.count == indexes.count - 1)
        #expect(json["failedStatements"] as? Int == 1)
        #expect(json["unreadableLines"] as? Int == 0)
        try ([#"{"sql":"SELECT title FROM Book","count":7}"#, "\u{0}"] + lines).joined(separator: "\n")
            .write(to: folder.file("queries"), atomically: true, encoding: .utf8)
        let text = try run(store.path, "--queries", "queries").results
        #expect(text.contains("\n2 lines of the recording cannot be read, and count for no index.\n"))
        // Queries are only explained, never run.
        #expect(try Data(contentsOf: store) == before)
        #expect(try run(store.path, "--queries", "none").status == 66)
    }

    @Test func anotherFile() throws {
        let url = folder.file("other.db")
        try TestStore.execute(
            url,
            [
                "CREATE TABLE \"a\u{1B}[2J\n'\"\"🧱\" (x TEXT UNIQUE)", "CREATE VIEW v AS SELECT 1",
                "INSERT INTO \"a\u{1B}[2J\n'\"\"🧱\" VALUES (hex(zeroblob(5000)))",
            ])
        let run = try run("other.db")
        #expect(run.status == 0)
        #expect(run.results.hasPrefix("other.db: an SQLite file of another program.\n"))
        #expect(run.results.contains(#"a\u{1B}[2J\u{A}'"🧱"#) && !run.results.contains("\u{1B}"))
        #expect(run.results.contains("Views: v") && run.results.contains("in pages of their own"))
        let json = try self.run("other.db", "--format", "json").json()
        #expect(json["kind"] as? String == "sqlite")
        #expect(try list(json, "tables").map { $0["name"] as? String } == ["a\u{1B}[2J\n'\"🧱"])
        #expect(try list(json, "indexes").map { $0["isUnique"] as? Bool } == [true])
    }

    @Test func aStoreOfCoreDatas() throws {
        let identifier = "B3B0A1C6-0E0B-4E0B-8F8E-2F8B0F1E6E4D"
        for (versions, release, kind) in [
            (["1.0.0"], 1344, "swiftData"), ([], 1344, "coreData"), (["2.31.0"], 866, "coreData"),
        ] {
            let list: [String: Any] = [
                "NSStoreModelVersionIdentifiers": versions, "NSStoreModelVersionHashes": ["Trip": Data([1])],
                "NSPersistenceFrameworkVersion": release, "own": "value",
            ]
            let bytes = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
                .map { String(format: "%02x", $0) }.joined()
            let url = folder.file(kind + ".sqlite")
            try? FileManager.default.removeItem(at: url)
            try TestStore.execute(
                url,
                [
                    "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
                    "INSERT INTO Z_PRIMARYKEY VALUES (1, 'Trip', 0, 4), (2, 'Cruise', 1, 0), (16001, 'CHANGE', 0, 0)",
                    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
                    "INSERT INTO Z_METADATA VALUES (1, '\(identifier)', x'\(bytes)')",
                    "CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR)",
                    "INSERT INTO ZTRIP VALUES (1, 1, 1, 'a'), (2, 2, 1, 'b'), (3, 2, 1, 'c')",
                    "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP TIMESTAMP)",
                    "CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
                    "INSERT INTO ATRANSACTION VALUES (1, 16002, 1, 0), (2, 16002, 1, 86400.5)",
                    "INSERT INTO ACHANGE VALUES (1, 16001, 1)",
                ])
            let support = folder.file(".\(kind)_SUPPORT/_EXTERNAL_DATA")
            try FileManager.default.createDirectory(at: support, withIntermediateDirectories: true)
            try Data(count: 70).write(to: support.appendingPathComponent("A"))
            try Data(count: 30).write(to: support.appendingPathComponent("B"))
            let json = try run(url.path, "--format", "json").json()
            #expect(json["kind"] as? String == kind && json["identifier"] as? String == identifier)
            #expect(json["frameworkVersion"] as? Int == release && json["userKeys"] as? [String] == ["own"])
            let entities = try self.list(json, "entities")
            #expect(entities.map { $0["name"] as? String } == ["Cruise", "Trip"])
            #expect(entities.map { $0["rows"] as? Int } == [2, 1])
            #expect(entities.map { $0["parent"] as? String } == ["Trip", nil])
            #expect(entities.map { $0["table"] as? String } == ["ZTRIP", "ZTRIP"])
            let history = try #require(json["history"] as? [String: Any])
            #expect(history["transactions"] as? Int == 2 && history["changes"] as? Int == 1)
            #expect(history["first"] as? String == "2001-01-01T00:00:00Z")
            #expect(history["last"] as? String == "2001-01-02T00:00:00Z")
            let data = try #require(json["externalData"] as? [String: Any])
            #expect(data["files"] as? Int == 2 && data["bytes"] as? Int == 100 && data["largest"] as? Int == 70)
            #expect(json["problems"] as? [String] == [])
        }
    }

    /// A program has the store open, and wrote to the log: the report includes the log, and nothing is touched.
    @Test func aStoreInUse() throws {
        let url = folder.file("used.db")
        let connection = try Connection(opening: url.path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        for statement in ["PRAGMA journal_mode = WAL", "CREATE TABLE t (x)", "INSERT INTO t VALUES (1), (2)"] {
            try connection.execute(statement)
        }
        let before = try folder.snapshot()
        #expect(before.keys.sorted() == ["used.db", "used.db-shm", "used.db-wal"])
        let run = try run("used.db", "--format", "json")
        #expect(run.status == 0)
        let tables = try list(try run.json(), "tables")
        #expect(tables.map { $0["rows"] as? Int } == [2])
        let after = try folder.snapshot()
        #expect(after["used.db"] == before["used.db"] && after["used.db-wal"] == before["used.db-wal"])
        #expect(after.keys.sorted() == before.keys.sorted())
        // Nor is a file touched without its log's index, as after a copy, or with a journal that a killed program left.
        try FileManager.default.copyItem(at: url, to: folder.file("copy.db"))
        try FileManager.default.copyItem(at: folder.file("used.db-wal"), to: folder.file("copy.db-wal"))
        let copied = try folder.snapshot()
        #expect(try list(self.run("copy.db", "--format", "json").json(), "tables").map { $0["rows"] as? Int } == [2])
        #expect(try folder.snapshot() == copied)
        try connection.execute("INSERT INTO t VALUES (3)")
    }

    @Test func aFolderThatCannotBeWritten() throws {
        let store = try makeLibrary()
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.url.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path) }
        let before = try folder.snapshot()
        #expect(try run(store.path).status == 0)
        #expect(try folder.snapshot() == before)
    }

    @Test func whatIsNoStore() throws {
        #expect(try run("none.store").status == 4)
        #expect(try run("none.store").messages == "error: There is no store at \(folder.file("none.store").path).\n")
        #expect(try run(".").status == 3)
        try Data("no database at all, but long enough to be read as a header of one".utf8)
            .write(to: folder.file("text"))
        let text = try run("text", "--format", "json")
        #expect(text.status == 3)
        #expect(try text.json()["error"] as? String != nil)
        try Data().write(to: folder.file("empty"))
        let empty = try run("empty")
        #expect(empty.status == 0 && empty.results.hasPrefix("empty: an empty file."))
        #expect(try Data(contentsOf: folder.file("empty")).isEmpty)
    }

    /// For a damaged file, the report has everything that is readable, and says that the file is damaged.
    @Test func aDamagedFile() throws {
        let store = try makeLibrary()
        let whole = try Data(contentsOf: store)
        for length in stride(from: 0, to: whole.count, by: 1000) {
            try whole.prefix(length).write(to: folder.file("cut"))
            let run = try run("cut", "--format", "json")
            #expect(run.status == (length == 0 ? 0 : length < 100 ? 3 : 4), "\(length) bytes")
            #expect(try run.json()["store"] as? String == "cut")
        }
        for page in 1..<(whole.count / 4096) {
            var bytes = whole
            bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: repeatElement(0xA5, count: 4096))
            try bytes.write(to: folder.file("torn"))
            let run = try run("torn", "--format", "json")
            #expect(run.status == 4, "page \(page)")
            let json = try run.json()
            #expect(json["integrity"] != nil || json["error"] != nil || json["problems"] as? [String] != [])
        }
    }

    @Test func quickly() throws {
        let store = try makeLibrary()
        let json = try run(store.path, "--quick", "--format", "json").json()
        #expect(json["integrity"] == nil && json["problems"] as? [String] == [])
        #expect(try list(json, "tables").allSatisfy { $0["bytes"] == nil && $0["rows"] != nil })
    }
}
