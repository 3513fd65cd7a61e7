import Ashlar
import AshlarImport
import Foundation
import Testing

/// The persistent history of an old store, where a program asks for it.
@Suite struct ImportedHistoryTests {
    private let folder: TemporaryFolder
    private let old: HarbourStore

    init() throws {
        folder = try TemporaryFolder()
        old = try HarbourStore(folder.file("Harbour.sqlite"))
        try old.fillFleet()
        try old.trackHistory()
        try old.fillHistory()
    }

    private func open(_ change: (inout StoreImport) -> Void = { $0.includesHistory = true }) throws -> ModelContainer {
        var source = StoreImport(url: old.url)
        change(&source)
        var configuration = ModelConfiguration(url: folder.file("Harbour.store"))
        configuration.importing = source
        return try ModelContainer(for: HarbourModel.self, configurations: configuration)
    }

    private func line(_ change: PersistentHistoryChange) -> String {
        let entity = change.changedObjectID.entityName
        let properties = change.updatedProperties.sorted().joined(separator: ",")
        return "\(change.changeType) \(entity) \(change.changedObjectID.rowID) \(properties)"
    }

    @Test("row 168: transactions come in their order, with all that is known of them")
    func transactions() throws {
        let container = try open()
        let transactions = try container.fetchHistory()
        #expect(
            transactions.map(\.timestamp)
                == [700_000_000.123456, 700_000_000.5].map { Date(timeIntervalSinceReferenceDate: $0) })
        #expect(transactions.map(\.author) == ["app", "widget"])
        #expect(transactions.map(\.contextName) == ["main", nil])
        #expect(transactions.map(\.bundleID) == ["org.example.harbour", "org.example.harbour"])
        #expect(transactions.map(\.processID) == ["Harbour", "Harbour"])
        #expect(transactions[0].token < transactions[1].token)
        // Without changes in the result, a transaction that changed nothing is listed as well.
        var request = PersistentHistoryChangeRequest.all
        request.resultType = .transactionsOnly
        #expect(try container.fetchHistory(request).map(\.author) == ["app", "older", "widget"])
        let report = try #require(container.importReports.first)
        #expect(report.historyTransactions == 3 && report.historyChanges == 6 && report.findings == [])
        #expect("\(report)".contains("3 transactions"))
    }

    @Test("row 168: changes tell of the same objects and properties")
    func changes() throws {
        let container = try open()
        let transactions = try container.fetchHistory()
        #expect(transactions[0].changes.map { line($0) } == ["insert Ship 1 ", "insert Steamer 2 "])
        #expect(
            transactions[1].changes.map { line($0) } == [
                "update Steamer 2 coal,tonnage", "delete Steamer 7 ", "update Dock 1 ", "update Ship 1 name,rivals",
            ])
        let tombstone = try #require(transactions[1].changes[1].tombstone)
        #expect(tombstone.properties == ["built", "coal", "name", "price"])
        #expect(tombstone.value(of: "built", as: Date.self) == Date(timeIntervalSinceReferenceDate: 1.5))
        #expect(tombstone.value(of: "coal", as: Float.self) == 2.5)
        #expect(tombstone["name"] as? String == "Gone" && tombstone["price"] as? Decimal == Decimal(string: "12.34"))
        // A relationship without a column in the ship's row is requested by its name, like others.
        for (property, isTold) in [("rivals", true), ("convoy", false)] {
            let request = PersistentHistoryChangeRequest.fetchHistory(after: transactions[0]).changing(
                Ship.self, [property])
            let lines = try container.fetchHistory(request).flatMap(\.changes).map { line($0) }
            #expect(lines.contains("update Ship 1 name,rivals") == isTold)
        }
    }

    @Test("row 168: the history goes on where the old one ended")
    func goesOn() throws {
        let container = try open()
        #expect(try container.isHistoryTracked())
        let token = try #require(try container.fetchHistory().last?.token)
        #expect(try container.currentHistoryToken() == token)
        let context = ModelContext(container)
        context.author = "new"
        let anna = try #require(try context.fetchFirst(Ship.where { $0.name == "Anna" }))
        anna.name = "Anna II"
        try context.save()
        let newer = try container.fetchHistory(.fetchHistory(after: token))
        #expect(newer.map(\.author) == ["new"] && newer.flatMap(\.changes).map(\.updatedProperties) == [["name"]])
        #expect(try container.fetchHistory().count == 3)
    }

    @Test("row 168: the history stays where nobody asks for it")
    func notAskedFor() throws {
        let container = try open { _ in }
        #expect(try !container.isHistoryTracked())
        #expect(container.importReports.first?.historyTransactions == 0)
    }

    @Test("row 168: a store without a history has none afterwards")
    func noHistory() throws {
        try old.run("DROP TABLE ACHANGE", "DROP TABLE ATRANSACTION", "DROP TABLE ATRANSACTIONSTRING")
        #expect(try !open().isHistoryTracked())
    }

    @Test("row 168: an empty history is on afterwards")
    func emptyHistory() throws {
        try old.run("DELETE FROM ACHANGE", "DELETE FROM ATRANSACTION")
        let container = try open()
        #expect(try container.isHistoryTracked())
        #expect(try container.fetchHistory() == [])
    }

    @Test("row 168: a transaction without changes at the end does not get those that follow")
    func emptyTransactionAtTheEnd() throws {
        try old.run("DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 9")
        let container = try open()
        let context = ModelContext(container)
        context.insert(Dock(name: "North"))
        try context.save()
        var request = PersistentHistoryChangeRequest.all
        request.resultType = .transactionsOnly
        #expect(try container.fetchHistory(request).map(\.author) == ["app", "older", "widget", nil])
        #expect(try container.fetchHistory().map(\.changes.count) == [2, 1])
    }

    @Test("row 168: a history is followed through the migration to the current version")
    func migrated() throws {
        let museum = try MuseumStore(folder.file("Museum.sqlite"))
        try museum.fill()
        try museum.run(
            "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, ZTIMESTAMP FLOAT)",
            """
            CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER,
                ZCHANGETYPE INTEGER, ZCOLUMNS BLOB)
            """, "INSERT INTO ATRANSACTION VALUES (1, 0.0)",
            // Of a fresco: acquired, artist, frame, height, name, note, room, tags, wall, weight, width; of a tag: items, label.
            "INSERT INTO ACHANGE VALUES (1, 8, 2, 1, 1, x'C0'), (2, 4, 3, 1, 1, x'8160'), (3, 6, 1, 1, 1, x'8000')")
        var configuration = ModelConfiguration(url: folder.file("Museum.store"), importing: museum.url)
        configuration.importing?.includesHistory = true
        let container = try ModelContainer(for: MuseumModel.self, configurations: configuration)
        let changes = try container.fetchHistory().flatMap(\.changes).map { line($0) }
        #expect(
            changes == [
                "update Keyword 2 items,label", "update Fresco 3 acquired,tags,weight,width", "update Person 1 address",
            ])
    }

    /// A change of the history, and the expected findings.
    struct Case: Sendable, CustomTestStringConvertible {
        var sql: String
        var findings: [String]
        /// The number of changes, of 6, that remain.
        var changes = 6

        var testDescription: String { sql }
    }

    static let cases = [
        Case(
            sql: "UPDATE ACHANGE SET ZENTITY = 99 WHERE Z_PK = 10", findings: ["CHANGE.ZENTITY 10 99 leavesOutHistory"],
            changes: 5),
        Case(
            sql: "UPDATE ACHANGE SET ZENTITYPK = 'x' WHERE Z_PK = 10",
            findings: ["CHANGE.ZENTITYPK 10 \"x\" leavesOutHistory"], changes: 5),
        Case(
            sql: "UPDATE ACHANGE SET ZENTITYPK = -1 WHERE Z_PK = 10",
            findings: ["CHANGE.ZENTITYPK 10 -1 leavesOutHistory"], changes: 5),
        Case(
            sql: "UPDATE ACHANGE SET ZCHANGETYPE = 3 WHERE Z_PK = 10",
            findings: ["CHANGE.ZCHANGETYPE 10 3 leavesOutHistory"], changes: 5),
        Case(
            sql: "UPDATE ACHANGE SET ZTRANSACTIONID = 4 WHERE Z_PK = 10",
            findings: ["CHANGE.ZTRANSACTIONID 10 4 leavesOutHistory"], changes: 5),
        Case(
            sql: "UPDATE ACHANGE SET ZTRANSACTIONID = Z_PK * 1000 + 0.5 WHERE Z_PK IN (10, 11)",
            findings: [
                "CHANGE.ZTRANSACTIONID 10 10000.5 leavesOutHistory",
                "CHANGE.ZTRANSACTIONID 11 11000.5 leavesOutHistory",
            ], changes: 4),
        Case(
            sql: "UPDATE ACHANGE SET ZTRANSACTIONID = NULL WHERE Z_PK = 10",
            findings: ["CHANGE.ZTRANSACTIONID 10 nothing leavesOutHistory"], changes: 5),
        Case(
            sql: "UPDATE ATRANSACTION SET ZTIMESTAMP = 'never' WHERE Z_PK = 3",
            findings: [
                "TRANSACTION.ZTIMESTAMP 3 \"never\" leavesOutHistory", "CHANGE.ZTRANSACTIONID 10 3 leavesOutHistory",
                "CHANGE.ZTRANSACTIONID 11 3 leavesOutHistory",
            ], changes: 4),
        Case(
            sql: "UPDATE ATRANSACTION SET ZAUTHORTS = 77 WHERE Z_PK = 3",
            findings: ["TRANSACTION.ZAUTHORTS 3 77 setsNil"]),
        Case(
            sql: "UPDATE ATRANSACTION SET ZCONTEXTNAME = x'00' WHERE Z_PK = 9",
            findings: ["TRANSACTION.ZCONTEXTNAME 9 1 bytes setsNil"]),
        Case(sql: "UPDATE ACHANGE SET ZCOLUMNS = 5 WHERE Z_PK = 14", findings: ["CHANGE.ZCOLUMNS 14 5 setsNil"]),
        Case(
            sql: "UPDATE ACHANGE SET ZCOLUMNS = x'01' WHERE Z_PK = 14", findings: ["CHANGE.ZCOLUMNS 14 1 bytes setsNil"]
        ),
        Case(
            sql: "UPDATE ACHANGE SET ZTOMBSTONE0 = 'x' WHERE Z_PK = 12",
            findings: ["CHANGE.ZTOMBSTONE0 12 \"x\" setsNil"]),
    ]

    @Test("row 168: what tells nothing is told, and left out where that is asked for", arguments: cases)
    func everyFinding(_ example: Case) throws {
        try old.run(example.sql)
        #expect {
            _ = try open()
        } throws: { error in
            guard let error = error as? ImportError, error.code == .invalidData else { return false }
            return error.report?.findingCount == example.findings.count && "\(error)".contains("history")
        }
        #expect(try folder.names().filter { $0.contains("Harbour.store") } == [])
        let container = try open {
            $0.includesHistory = true
            $0.repairsData = true
        }
        let report = try #require(container.importReports.first)
        let lines = report.findings.map { finding in
            "\(finding.entity).\(finding.property) \(finding.key) \(finding.found) \(finding.remedy.rawValue)"
        }
        #expect(Set(lines) == Set(example.findings))
        #expect(report.findings.allSatisfy { $0.kind == .invalidHistory })
        #expect(report.historyChanges == example.changes)
        #expect(try container.fetchHistory().flatMap(\.changes).count == example.changes)
        #expect(try ModelContext(container).fetchCount(Ship.all) == 3)
    }

    @Test(
        "row 168: tables that are none of a history",
        arguments: [
            ["ALTER TABLE ACHANGE DROP COLUMN ZENTITYPK"], ["ALTER TABLE ATRANSACTION RENAME COLUMN ZTIMESTAMP TO x"],
            ["DROP TABLE ACHANGE", "CREATE VIEW ACHANGE AS SELECT 1 AS Z_PK"],
        ])
    func otherTables(_ statements: [String]) throws {
        for statement in statements { try old.run(statement) }
        #expect {
            _ = try open()
        } throws: {
            ($0 as? ImportError)?.code == .damaged && "\($0)".contains("includesHistory")
        }
        #expect(try ModelContext(open { _ in }).fetchCount(Ship.all) == 3)
    }
}
