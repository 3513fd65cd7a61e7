import AshlarSQLite
import Foundation
import Testing
import ToolProgram

@testable import Ashlar

/// Objects that `ashlar load` refuses although the tables allow them, and `ashlar check` as a program.
@Suite(.enabled(if: ToolProgram.isThere)) struct LoadRulesTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.writeModel("Shop", [("Shop", CheckedShop.elements)])
    }

    private func run(_ arguments: String...) throws -> ToolProgram.Run {
        try ToolProgram.run(arguments + ["--model", "Shop.xcdatamodeld"], in: folder.url)
    }

    private func load(_ text: String) throws -> ToolProgram.Run {
        try text.write(to: folder.file("objects.json"), atomically: true, encoding: .utf8)
        return try run("load", "shop.store", "objects.json")
    }

    private static let good = #"{"$entity": "Person", "$id": 1, "name": "Ada", "age": 3}"#

    @Test(arguments: [
        (#"{"$entity": "Person", "name": "bea"}"#, "Object 2: Person.name: A text does not match"),
        (#"{"$entity": "Person", "name": "B"}"#, "Object 2: Person.name: A text is shorter than 2"),
        (#"{"$entity": "Person", "name": "B12345678901234567890"}"#, "Object 2: Person.name: A text is longer than 20"),
        (#"{"$entity": "Person", "name": "Bea", "age": 151}"#, "Object 2: Person.age: A value is more than 150"),
        (#"{"$entity": "Person", "name": "Bea", "age": -1}"#, "Object 2: Person.age: A value is less than 0"),
        (
            #"{"$entity": "Person", "name": "Bea", "price": "99.51"}"#,
            "Object 2: Person.price: A value is more than 99.5"
        ),
        (#"{"$entity": "Employee", "name": "Bea", "salary": 0}"#, "Object 2: Employee.salary: A value is less than 1"),
        (#"{"$entity": "Employee", "name": "Bea", "salary": null}"#, "Object 2: Employee.salary: A required value"),
        (
            #"{"$entity": "Purchase", "seller": 1}"#,
            "Object 2: Purchase.seller: A reference leads to an object that does not belong to Employee"
        ),
        (
            #"{"$entity": "Purchase", "customer": 1},{"$entity": "Purchase", "customer": 1},{"$entity": "Purchase", "customer": 1},{"$entity": "Purchase", "customer": 1}"#,
            "Object 1: Person.orders: There are more than 3 objects"
        ),
        (
            #"{"$entity": "Employee", "$id": 7, "name": "Bea"},{"$entity": "Purchase", "seller": 7}"#,
            "Object 2: Employee.sales: There are fewer than 2 objects"
        ),
        (
            #"{"$entity": "Badge", "owner": 1},{"$entity": "Badge", "owner": 1}"#,
            "Badge.owner: Several objects refer to one"
        ),
    ]) func isRefused(_ object: String, _ message: String) throws {
        let refused = try load("[\(Self.good),\(object)]")
        #expect(refused.status == 3, "\(refused.results)")
        #expect(refused.messages.contains(message), "\(refused.messages)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("shop.store").path))
        // The same in a store with other objects, whose own violations are not reported.
        #expect(try load("[\(Self.good)]").status == 0)
        let connection = try Connection(toWrite: folder.file("shop.store"))
        try connection.execute("UPDATE Person SET age = 151")
        let again = try load("[\(#"{"$entity": "Tag", "title": "x"}"#),\(object)]")
        let expected = message.drop { $0 != ":" }
        #expect(again.status == 3 && again.messages.contains(expected), "\(again.messages)")
        #expect(try connection.integer("SELECT count(*) FROM Tag") == 0)
        #expect(try load(#"[{"$entity": "Tag", "title": "x"}]"#).status == 0)
    }

    /// A relationship that is its own inverse is stored in both directions, whichever side the text has.
    @Test func ownInverse() throws {
        let loaded = try load(
            #"[{"$entity": "Person", "$id": 1, "name": "Ada", "friends": [2, 1]}, {"$entity": "Person", "$id": 2, "name": "Bea"}]"#
        )
        #expect(loaded.status == 0, "\(loaded.messages)")
        let rows = try Connection(toWrite: folder.file("shop.store")).rows(
            "SELECT source$, target$ FROM \"Person$friends\" ORDER BY 1, 2")
        #expect(rows == [[.integer(1), .integer(1)], [.integer(1), .integer(2)], [.integer(2), .integer(1)]])
        #expect(try run("check", "shop.store").status == 0)
    }

    /// Members without positions are ordered by their numbers.
    @Test func positionsThatNobodySaid() throws {
        let loaded = try load(
            "[\(Self.good),"
                + #"{"$entity": "Purchase", "$id": 5, "customer": 1}, {"$entity": "Purchase", "$id": 4, "customer": 1}]"#
        )
        #expect(loaded.status == 0, "\(loaded.messages)")
        let checked = try run("check", "shop.store")
        #expect(checked.status == 0 && checked.results == "shop.store: sound.\n", "\(checked.results)")
        let rows = try Connection(toWrite: folder.file("shop.store")).rows(
            "SELECT id$ FROM Purchase ORDER BY \"customer$order\"")
        #expect(rows == [[.integer(4)], [.integer(5)]])
    }

    // MARK: The command

    @Test func statusesAndReports() throws {
        #expect(try load("[\(Self.good)]").status == 0)
        // Reading a file that this process has open would release the process's locks.
        try Connection(toWrite: folder.file("shop.store")).execute([
            "UPDATE Person SET age = 200", "DROP INDEX \"index$Person$byAge\"",
        ])
        let before = try folder.snapshot()
        let text = try run("check", "shop.store")
        #expect(
            text.status == 1 && text.results.contains("Person.age: A value is more than 150. (1 row: 1)"), "\(text)")
        let json = try run("check", "shop.store", "--format", "json")
        let findings = try #require(try json.json()["findings"] as? [[String: Any]])
        let kinds = Set(findings.compactMap { $0["kind"] as? String })
        #expect(kinds == ["aboveMaximum", "missingObject"])
        #expect(json.status == 1)
        #expect(try folder.snapshot() == before)
        let repaired = try run("check", "shop.store", "--repair")
        #expect(repaired.status == 1 && repaired.results.contains("1 finding left"), "\(repaired)")
        #expect(FileManager.default.fileExists(atPath: folder.file("shop.store.before-repair").path))
        try Connection(toWrite: folder.file("shop.store")).execute("UPDATE Person SET age = 20")
        #expect(try run("check", "shop.store").status == 0)
        // Models are checked as before.
        let model = try ToolProgram.run(["check", "Shop.xcdatamodeld"], in: folder.url)
        #expect(model.status == 0 && model.results.contains("5 entities, 1 version"), "\(model)")
        #expect(try ToolProgram.run(["check", "Shop.xcdatamodeld", "shop.store"], in: folder.url).status == 64)
        #expect(try ToolProgram.run(["check", "Shop.xcdatamodeld", "--backup", "x"], in: folder.url).status == 64)
        #expect(try run("check", "nothing.store").status == 4)
        try "no database, but long enough for one".write(
            to: folder.file("text.store"), atomically: true, encoding: .utf8)
        #expect(try run("check", "text.store").status == 3)
    }

    /// Another model's store, and one of Core Data's.
    @Test func othersAreRefused() throws {
        #expect(try load("[\(Self.good)]").status == 0)
        try folder.writeModel("Shop2", [("Shop", "<entity name=\"A\"/>")])
        let other = try ToolProgram.run(["check", "shop.store", "--model", "Shop2.xcdatamodeld"], in: folder.url)
        #expect(other.status == 3, "\(other)")
        try TestStore.execute(
            folder.file("old.sqlite"),
            [
                "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
                "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            ])
        let old = try run("check", "old.sqlite")
        #expect(old.status == 3, "\(old)")
    }
}
