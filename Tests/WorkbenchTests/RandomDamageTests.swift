import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar
@testable import StoreChecking

/// For any bytes in a file, a check ends with findings or an error that explains the problem, and changes nothing.
@Suite struct RandomDamageTests {
    let folder: TemporaryFolder
    private let url: URL
    private let checker: StoreChecker

    init() throws {
        folder = try TemporaryFolder()
        url = folder.file("shop.store")
        let model = try folder.writeModel("Shop", [("Shop", CheckedShop.elements)])
        try TestStore.make(url, model: model, CheckedShop.rows)
        try Connection(toWrite: url).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        checker = try CheckedShop.checker(model)
    }

    /// Changes a cell of a table, with or without triggers. The check finds a violated bound, and reports nothing else.
    @Test(arguments: seeds(40)) func cells(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        var connection: Connection? = try Connection(toWrite: url)
        if random.oneIn(2) {
            for row in try connection?.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'") ?? [] {
                if case .text(let name) = row[0] { try connection?.execute("DROP TRIGGER \"\(name)\"") }
            }
        }
        let tables = ["Person", "Purchase", "Badge", "Tag", "Person$tags", "Person$friends"]
        let table = tables.randomElement(using: &random) ?? "Tag"
        let columns = try connection?.rows("SELECT name FROM pragma_table_info(?1)", [.text(table)])
        guard case .text(let column)? = columns?.randomElement(using: &random)?[0] else { return }
        let values = ["NULL", "0", "-1", "7", "9e99", "'text'", "x'00ff'", "zeroblob(50)", "99999", "'Employee'"]
        let value = values.randomElement(using: &random) ?? "0"
        try? connection?.execute(
            "UPDATE \"\(table)\" SET \"\(column)\" = \(value) WHERE rowid = (SELECT max(rowid) FROM \"\(table)\")")
        try? connection?.execute(
            "UPDATE \"\(table)\" SET \"\(column)\" = \(value) WHERE source$ = (SELECT max(source$) FROM \"\(table)\")")
        // Reading a file that this process has open would release the process's locks.
        connection = nil
        let before = try folder.snapshot()
        let kinds = Set(try checker.check(url).findings.map(\.kind))
        #expect(try folder.snapshot() == before)
        func expect(_ sql: String, _ kind: StoreFinding.Kind) throws {
            let isBroken = try Connection(toWrite: url).integer(sql) ?? 0 > 0
            #expect(kinds.contains(kind) == isBroken, "\(seed): \(table).\(column) = \(value): \(kinds)")
        }
        try expect(
            "SELECT count(*) FROM Person WHERE age < 0 OR entity$ = 'Employee' AND salary < 1 OR CAST(price AS REAL) < 0 OR born < 0",
            .belowMinimum)
        try expect("SELECT count(*) FROM Person WHERE entity$ NOT IN ('Employee')", .unknownEntity)
        try expect(
            """
            SELECT (SELECT count(*) FROM pragma_foreign_key_check) + (
                SELECT count(*) FROM Purchase WHERE customer NOT IN (SELECT id$ FROM Person))
            """, .danglingReference)
        let result = try StoreRepair(checker).repair(url, backup: folder.file("backup.store"))
        let isLeft = result.left.findings.contains { $0.isMendable || $0.remedy.hasPrefix("A repair was tried") }
        #expect(!isLeft, "\(seed): \(result.left.findings)")
    }

    /// Changes bytes, or cuts off the end.
    @Test(arguments: seeds(60)) func bytes(_ seed: Seed) throws {
        var random = SeededGenerator(seed: seed)
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        var bytes = try Data(contentsOf: url)
        if random.oneIn(5) {
            bytes = bytes.prefix(random.number(0..<bytes.count))
        } else {
            for _ in 0..<random.number(1..<12) {
                bytes[random.number(0..<bytes.count)] = UInt8(random.number(0..<256))
            }
        }
        try bytes.write(to: url)
        let before = try folder.snapshot()
        do {
            _ = try checker.check(url)
        } catch let error as StoreError {
            #expect(!error.description.isEmpty)
        }
        #expect(try folder.snapshot() == before, "\(seed)")
        do {
            let result = try StoreRepair(checker).repair(url, backup: folder.file("backup.store"))
            let isLeft = result.left.findings.contains { $0.isMendable }
            #expect(result.left.isDamaged || !isLeft, "\(seed): \(result.left.findings)")
            // The first repair repaired everything that it could.
            let second = try StoreRepair(checker).repair(url, backup: folder.file("second.store"))
            #expect(second.mended.isEmpty, "\(seed): \(second.mended)")
        } catch let error as StoreError {
            #expect(!error.description.isEmpty)
        }
    }
}
