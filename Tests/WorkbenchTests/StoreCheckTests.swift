import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing
import ToolProgram

@testable import Ashlar
@testable import StoreChecking

/// `ashlar check STORE` finds each kind of damage, and repairs it where possible.
@Suite struct StoreCheckTests {
    let folder: TemporaryFolder
    private let model: String
    private let url: URL

    init() throws {
        folder = try TemporaryFolder()
        model = try folder.writeModel("Shop", [("Shop", CheckedShop.elements)])
        url = folder.file("shop.store")
        let opened = try StoreOpener(
            model: TestStore.description(model), configuration: ModelConfiguration(url: url),
            monitor: MigrationMonitor()
        ).open()
        try opened.pool.write { connection in
            try connection.transaction { for statement in CheckedShop.rows { try connection.execute(statement) } }
        }
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kind: StoreFinding.Kind
        var isMendable: Bool
        var sql: [String]

        init(_ name: String, _ kind: StoreFinding.Kind, mends: Bool = false, _ sql: String...) {
            (testDescription, self.kind, isMendable, self.sql) = (name, kind, mends, sql)
        }

        init(_ name: String, _ kind: StoreFinding.Kind, schema change: (String, String), _ sql: String...) {
            // A strict table would not accept the damage.
            let text = """
                UPDATE sqlite_schema SET sql = replace(sql, '\(change.0)', '\(change.1)') WHERE type = 'table'
                """
            let back = """
                UPDATE sqlite_schema SET sql = replace(sql, '\(change.1)', '\(change.0)') WHERE type = 'table'
                """
            (testDescription, self.kind, isMendable) = (name, kind, false)
            self.sql = ["PRAGMA writable_schema = ON", text, "reopen"] + sql + ["PRAGMA writable_schema = ON", back]
        }
    }

    static let damages = [
        Damage("a bound", .belowMinimum, "UPDATE Person SET age = -1 WHERE id$ = 2"),
        Damage("an upper bound", .aboveMaximum, "UPDATE Person SET age = 151 WHERE id$ = 2"),
        Damage("a decimal bound", .aboveMaximum, "UPDATE Person SET price = '100' WHERE id$ = 2"),
        Damage("a bound of a sub-entity", .belowMinimum, "UPDATE Person SET salary = 0 WHERE id$ = 3"),
        Damage("a date", .belowMinimum, "UPDATE Person SET born = -1 WHERE id$ = 2"),
        Damage("a short text", .tooShort, "UPDATE Person SET name = 'B' WHERE id$ = 2"),
        Damage("a long text", .tooLong, "UPDATE Person SET name = 'B12345678901234567890' WHERE id$ = 2"),
        Damage("a pattern", .patternMismatch, "UPDATE Person SET name = 'bea' WHERE id$ = 2"),
        Damage("a number too large", .outOfRange, "UPDATE Person SET age = 70000 WHERE id$ = 2"),
        Damage("bytes that are no text", .invalidText, "UPDATE Tag SET title = CAST(x'41ff42' AS TEXT) WHERE id$ = 2"),
        Damage("a UUID", .wrongType, "UPDATE Person SET key = x'0001' WHERE id$ = 2"),
        Damage("a decimal number", .wrongType, "UPDATE Person SET price = '1e3x' WHERE id$ = 2"),
        Damage("a URI", .wrongType, "UPDATE Person SET link = '' WHERE id$ = 2"),
        Damage(
            "a text in a column of numbers", .wrongType, schema: ("\"age\" INTEGER", "\"age\" ANY"),
            "UPDATE Person SET age = 'many' WHERE id$ = 2"),
        Damage(
            "a file's name", .wrongFile,
            "UPDATE Person SET photo = CAST('ashlar$file:not-a-name' AS BLOB) WHERE id$ = 2"),
        Damage(
            "a required value", .missingValue, schema: ("\"name\" TEXT NOT NULL", "\"name\" TEXT"),
            "UPDATE Person SET name = NULL WHERE id$ = 3"),
        Damage("a required value below the root", .missingValue, "UPDATE Person SET salary = NULL WHERE id$ = 3"),
        Damage("a composite", .incompleteComposite, "UPDATE Person SET \"place$street\" = NULL WHERE id$ = 1"),
        Damage(
            "a composite that is not there", .incompleteComposite, "UPDATE Person SET \"place$floor\" = 1 WHERE id$ = 2"
        ),
        Damage("an entity", .unknownEntity, "UPDATE Person SET entity$ = 'Ghost' WHERE id$ = 2"),
        Damage("a reference", .danglingReference, mends: true, "UPDATE Purchase SET seller = 99 WHERE id$ = 3"),
        Damage("a required reference", .danglingReference, "UPDATE Badge SET owner = 99 WHERE id$ = 2"),
        Damage("a pair", .danglingReference, mends: true, "INSERT INTO \"Person$tags\" VALUES (1, 99, 40)"),
        Damage("a reference to another entity", .wrongDestination, "UPDATE Purchase SET seller = 1 WHERE id$ = 3"),
        Damage("two badges", .doubledInverse, "UPDATE Badge SET owner = 1 WHERE id$ = 2"),
        Damage("two spare badges", .doubledInverse, mends: true, "UPDATE Badge SET holder = 1 WHERE id$ = 1"),
        Damage(
            "one direction", .missingInverse, mends: true, "DELETE FROM \"Person$friends\" WHERE source$ = 2"),
        Damage("too few", .tooFewObjects, "UPDATE Purchase SET seller = NULL WHERE id$ = 1"),
        Damage(
            "too many", .tooManyObjects,
            "INSERT INTO Purchase (customer, \"customer$order\") VALUES (1, 90), (1, 91)"),
        Damage(
            "no position", .missingOrder, mends: true, "UPDATE Purchase SET \"customer$order\" = NULL WHERE id$ = 1"),
        Damage(
            "one position twice", .doubledOrder, mends: true,
            "UPDATE \"Person$tags\" SET target$order = 4 WHERE source$ = 1"),
        Damage(
            "a doubled name", .doubledValues, "DROP INDEX \"unique$Person$name\"",
            "UPDATE Person SET name = 'Ada' WHERE id$ = 2"),
        Damage("an index", .missingObject, mends: true, "DROP INDEX \"index$Person$byAge\""),
        Damage("a unique index", .missingObject, mends: true, "DROP INDEX \"unique$Person$name\""),
        Damage("a trigger", .missingObject, mends: true, "DROP TRIGGER \"fulltext$Person$fullText$insert\""),
        Damage("an R-tree", .missingObject, mends: true, "DROP TABLE \"rtree$Person$byPlace\""),
        Damage(
            "an index of another form", .otherObject, mends: true, "DROP INDEX \"index$Person$byAge\"",
            "CREATE INDEX \"index$Person$byAge\" ON Person (age DESC)"),
        Damage("an index too many", .leftObject, mends: true, "CREATE INDEX \"more$\" ON Person (age)"),
        Damage("a column", .alteredTable, "ALTER TABLE Tag DROP COLUMN title"),
        Damage("a table", .alteredTable, "DROP TABLE Badge"),
        Damage(
            "an index that lacks rows", .damagedIndex, mends: true, "PRAGMA writable_schema = ON",
            "UPDATE sqlite_schema SET sql = sql || ' WHERE age > 1000' WHERE name = 'index$Person$byAge'", "reopen",
            "REINDEX \"index$Person$byAge\"", "PRAGMA writable_schema = ON",
            "UPDATE sqlite_schema SET sql = replace(sql, ' WHERE age > 1000', '') WHERE name = 'index$Person$byAge'"),
        Damage("a count", .staleDerivedValue, mends: true, "UPDATE Person SET orderCount = 7 WHERE id$ = 1"),
        Damage("letters", .staleLetters, mends: true, "UPDATE \"ashlar$canonical\" SET text = 'q' WHERE letter = 'é'"),
        Damage("a place", .staleRTree, mends: true, "DELETE FROM \"rtree$Person$byPlace\" WHERE id$ = 2"),
        Damage(
            "a place of nobody", .staleRTree, mends: true,
            "INSERT INTO \"rtree$Person$byPlace\" VALUES (99, 0, 0, 0, 0)"),
        Damage(
            "an R-tree's nodes", .staleRTree, mends: true, "UPDATE \"rtree$Person$byPlace_rowid\" SET nodeno = 77"),
        Damage("a text", .staleFullText, mends: true, "DELETE FROM \"fulltext$Person$fullText\" WHERE rowid = 2"),
        Damage(
            "a text of nobody", .staleFullText, mends: true,
            "INSERT INTO \"fulltext$Person$fullText\" (rowid, note) VALUES (99, 'x')"),
        Damage(
            "a full-text index's structure", .staleFullText, mends: true,
            "DELETE FROM \"fulltext$Person$fullText_data\" WHERE id = 10"),
        Damage("a version", .wrongRowNumber, "UPDATE Person SET version$ = 0 WHERE id$ = 2"),
        Damage("a number below 1", .wrongRowNumber, "INSERT INTO Tag (id$) VALUES (-5)"),
        Damage(
            "numbers in use", .usedRowNumber, mends: true, "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'Person'"),
        Damage("the header", .wrongMetadata, "PRAGMA application_id = 0"),
        Damage(
            "default rules", .otherTableRules, "PRAGMA writable_schema = ON",
            "UPDATE sqlite_schema SET sql = replace(sql, '''Xx''', '''Yy''') WHERE name = 'Person'"),
    ]

    private func damage(_ sql: [String]) throws {
        var connection = try Connection(toWrite: url)
        for statement in sql {
            if statement == "reopen" {
                connection = try Connection(toWrite: url)
                continue
            }
            // The damage consists only of the statement's own effects.
            if statement.hasPrefix("UPDATE \"rtree") || statement.hasPrefix("DELETE FROM \"fulltext") {
                try connection.setDefensive(false)
            }
            try connection.execute(statement)
        }
    }

    private func contents() throws -> [String: [[SQLiteValue]]] {
        let connection = try Connection(toWrite: url)
        var result: [String: [[SQLiteValue]]] = [:]
        for table in ["Person", "Purchase", "Badge", "Tag", "Person$tags", "Person$friends"] {
            let exists = try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = ?1", [.text(table)])
            if exists != nil { result[table] = try connection.rows("SELECT * FROM \"\(table)\" ORDER BY 1, 2") }
        }
        return result
    }

    @Test func aSoundStoreHasNoFindings() throws {
        let before = try folder.snapshot()
        let result = try CheckedShop.checker(model).check(url)
        #expect(result.findings == [])
        #expect(result.notes == [])
        #expect(try folder.snapshot() == before)
    }

    @Test(arguments: damages) func isFound(_ damage: Damage) throws {
        let checker = try CheckedShop.checker(model)
        // The damage is made by hand, without triggers that would repair it.
        let sound = try contents()
        try self.damage(damage.sql)
        let before = try folder.snapshot()
        let found = try checker.check(url).findings
        #expect(found.contains { $0.kind == damage.kind && $0.isMendable == damage.isMendable }, "\(found)")
        #expect(try folder.snapshot() == before)
        let damaged = try contents()
        let backup = folder.file("backup.store")
        let repaired = try StoreRepair(checker).repair(url, backup: backup)
        let left = try checker.check(url).findings
        // The repair reports the damage that it could not repair.
        func told(_ findings: [StoreFinding]) -> [String] { findings.map { "\($0.kind) \($0.text) \($0.rows)" } }
        #expect(told(left) == told(repaired.left.findings))
        #expect(!repaired.left.findings.contains { $0.isMendable })
        #expect(left.contains { $0.kind == damage.kind } != damage.isMendable, "\(left)")
        if damage.isMendable {
            #expect(left == [], "\(left)")
            #expect(repaired.backup == backup)
            #expect(repaired.mended.contains { $0.kind == damage.kind })
            // Everything is as before, except for values that the damage took from the rows themselves.
            let now = try contents()
            if ![.missingOrder, .doubledOrder, .missingInverse].contains(damage.kind) {
                #expect(now == sound)
            } else {
                #expect(
                    now.filter { $0.key != "Person$tags" && $0.key != "Purchase" }
                        == sound.filter { $0.key != "Person$tags" && $0.key != "Purchase" })
            }
            #expect(try Connection(toWrite: backup).rows("SELECT count(*) FROM sqlite_schema") != [])
        } else if !left.isEmpty, repaired.mended.isEmpty {
            #expect(try contents() == damaged)
        }
    }

    /// A file whose pages are damaged is left alone.
    @Test func aDamagedFileIsNotRepaired() throws {
        try damage(["PRAGMA wal_checkpoint(TRUNCATE)"])
        let page = try #require(
            try Connection(toWrite: url).integer("SELECT rootpage FROM sqlite_schema WHERE name = 'Purchase'"))
        var bytes = try Data(contentsOf: url)
        let start = Int(page - 1) * 4096
        bytes.replaceSubrange(start + 1..<start + 12, with: [UInt8](repeating: 0xEE, count: 11))
        try bytes.write(to: url)
        let checker = try CheckedShop.checker(model)
        #expect(try checker.check(url).isDamaged)
        let result = try StoreRepair(checker).repair(url, backup: folder.file("backup.store"))
        #expect(result.left.isDamaged && result.mended.isEmpty && result.backup == nil)
        #expect(try Data(contentsOf: url) == bytes)
        #expect(!FileManager.default.fileExists(atPath: folder.file("backup.store").path))
    }

    /// Files of large values that are missing, truncated, or without a row.
    @Test func largeValues() throws {
        let names = (0..<3).map { _ in UUID().uuidString }
        let data = folder.file(".shop.store_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        try Data(repeating: 7, count: 50).write(to: data.appendingPathComponent(names[0]))
        try Data(repeating: 7, count: 49).write(to: data.appendingPathComponent(names[1]))
        let orphan = UUID().uuidString
        try Data([1]).write(to: data.appendingPathComponent(orphan))
        for (row, name) in names.enumerated() {
            try damage(["UPDATE Person SET photo = CAST('ashlar$file:\(name)/50' AS BLOB) WHERE id$ = \(row + 1)"])
        }
        let checker = try CheckedShop.checker(model)
        let found = try checker.check(url).findings
        #expect(found.map(\.kind).sorted { $0.rawValue < $1.rawValue } == [.missingFile, .unusedFile, .wrongFile])
        #expect(found.first { $0.kind == .missingFile }?.rows == [3])
        #expect(found.first { $0.kind == .wrongFile }?.rows == [2])
        let result = try StoreRepair(checker).repair(url, backup: folder.file("backup.store"))
        #expect(result.left.findings.map(\.kind).sorted { $0.rawValue < $1.rawValue } == [.missingFile, .wrongFile])
        let moved = try #require(result.movedFiles)
        #expect(try FileManager.default.contentsOfDirectory(atPath: moved.path) == [orphan])
        #expect(try Data(contentsOf: data.appendingPathComponent(names[0])).count == 50)
    }

    /// The history's tables, and the triggers that fill them.
    @Test(arguments: [
        (
            "UPDATE \"ashlar$change\" SET entity = 99 WHERE number = (SELECT max(number) FROM \"ashlar$change\")",
            "unknownHistoryEntity"
        ),
        (
            "UPDATE \"ashlar$change\" SET kind = 9 WHERE number = (SELECT max(number) FROM \"ashlar$change\")",
            "wrongHistory"
        ),
        ("INSERT INTO \"ashlar$tombstone\" VALUES (99999, 0, 1)", "wrongHistory"),
        ("UPDATE \"ashlar$transaction\" SET first = last + 1", "wrongHistory"),
        ("DELETE FROM \"ashlar$historyState\"", "wrongHistory"),
        ("DROP TRIGGER \"ashlar$history$Tag$$insert\"", "outdatedHistoryTriggers"),
    ]) func history(_ sql: String, _ kind: String) throws {
        let other = folder.file("history.store")
        try autoreleasing {
            let opened = try StoreOpener(
                model: CheckedShop.described(model),
                configuration: ModelConfiguration(url: other, options: StoreOptions(historyTracking: true)),
                monitor: MigrationMonitor()
            ).open()
            try opened.pool.write { connection in
                try connection.transaction { for statement in CheckedShop.rows { try connection.execute(statement) } }
            }
        }
        let checker = try CheckedShop.checker(model)
        #expect(try checker.check(other).findings == [])
        try Connection(toWrite: other).execute(sql)
        let found = try checker.check(other).findings
        #expect(found.contains { $0.kind.rawValue == kind }, "\(found)")
        let left = try StoreRepair(checker).repair(other, backup: folder.file("backup.store")).left.findings
        #expect(left.isEmpty == (kind == "outdatedHistoryTriggers"), "\(left)")
    }

    private func autoreleasing(_ body: () throws -> Void) rethrows { try body() }
}
