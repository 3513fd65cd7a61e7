import Ashlar
import AshlarImport
import Foundation
import RandomNumbers
import RandomSeeds
import TestDatabase
import Testing

/// Imports random stores of fixed models into the newest version, and compares each cell and pair with plain SQL's
/// reading of the old file.
@Suite struct RandomImportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var url: URL { folder.file("new.store") }

    @Test("row 168: random stores of the museum's model", arguments: seeds(4)) func museum(_ seed: Seed) throws {
        let old = try MuseumStore(folder.file("old.sqlite"))
        try check(.museum, old.url, MuseumModel.self, seed)
    }

    @Test("row 168: random stores of the harbour's model", arguments: seeds(4)) func harbour(_ seed: Seed) throws {
        let old = try HarbourStore(folder.file("old.sqlite"))
        try check(.harbour, old.url, HarbourModel.self, seed)
    }

    private func check(
        _ tables: StoredTables, _ old: URL, _ model: any ManagedObjectModel.Type, _ seed: Seed
    ) throws {
        var rows = RandomRows(tables, old, random: SeededGenerator(seed: seed))
        try rows.fill()
        let report = try ModelContainer.importStore(StoreImport(url: old), to: url, for: model)
        #expect(report.findings == [])
        let (before, after) = (try Database(old), try Database(url))
        for table in tables.tables { try compare(table, before, after, rows.files) }
        for pairs in tables.pairs { try compare(pairs, before, after) }
        #expect(try after.rows("PRAGMA foreign_key_check").isEmpty)
        #expect(try after.column("PRAGMA integrity_check") == ["ok"])
    }

    private func compare(_ table: StoredTables.Table, _ before: Database, _ after: Database, _ files: URL) throws {
        let oneToOne = table.oneToOne.map { relationship in
            StoredTables.Column(
                relationship.column, relationship.new, .reference(table.name, nil), of: relationship.entities)
        }
        let columns = table.columns + [oneToOne].compactMap(\.self)
        let entities = table.entities.count > 1 || table.name == "ZITEM"
        let kinds = table.entities.map { "WHEN \($0.number) THEN \(isRoot($0.name, table) ? "NULL" : "'\($0.name)'")" }
        let old = try before.rows(
            """
            SELECT Z_PK, Z_OPT, \(entities ? "CASE Z_ENT \(kinds.joined(separator: " ")) END" : "NULL")\
            \(columns.map { ", quote(\($0.name))" }.joined()) FROM \(table.name) ORDER BY Z_PK
            """)
        let new = try after.rows(
            """
            SELECT "id$", "version$", \(entities ? "\"entity$\"" : "NULL")\
            \(columns.map { ", quote(\"\($0.new)\")" }.joined()) FROM "\(table.new)" ORDER BY "id$"
            """)
        #expect(old.map { Array($0.prefix(3)) } == new.map { Array($0.prefix(3)) }, "\(table.name)")
        for (oldRow, newRow) in zip(old, new) {
            for (index, column) in columns.enumerated() {
                let (oldValue, newValue) = (oldRow[index + 3] ?? "", newRow[index + 3] ?? "")
                #expect(
                    try isSame(oldValue, newValue, column.kind, files),
                    "\(table.name).\(column.name) of \(oldRow[0] ?? ""): \(oldValue) became \(newValue)")
            }
        }
    }

    /// Whether an entity is the one that has the table, whose objects need no name.
    private func isRoot(_ entity: String, _ table: StoredTables.Table) -> Bool { entity == table.new }

    /// Whether values are the same, as SQLite writes them down.
    private func isSame(_ old: String, _ new: String, _ kind: StoredTables.Kind, _ files: URL) throws -> Bool {
        if old == "NULL" || new == "NULL" { return old == new }
        switch kind {
        case .decimal:
            guard let old = Double(old), new.hasPrefix("'"), let new = Double(new.dropFirst().dropLast()) else {
                return false
            }
            return old == new
        // Core Data's date columns store a whole number as an integer.
        case .real: return old.hasSuffix("Inf") ? old == new : new.contains(".") && Double(old) == Double(new)
        case .external where old.hasPrefix("X'02"):
            // The file keeps its old name.
            let name = String(decoding: bytes(old).dropFirst().dropLast(), as: UTF8.self)
            let old = try Data(contentsOf: files.appendingPathComponent(name))
            let folder = url.deletingLastPathComponent().appendingPathComponent(".new.store_SUPPORT")
            let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            guard let path = paths.first(where: { $0.hasSuffix(name) }) else { return false }
            return try bytes(new).starts(with: Data("ashlar$file:".utf8))
                && Data(contentsOf: folder.appendingPathComponent(path)) == old
        case .external: return bytes(old).dropFirst().elementsEqual(bytes(new))
        default: return old == new
        }
    }

    /// The bytes of a blob that SQLite wrote down.
    private func bytes(_ text: String) -> Data {
        let digits = text.dropFirst(2).dropLast().utf8.map {
            UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") ? $0 - 48 : $0 - 55
        }
        return Data(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    private func compare(_ pairs: StoredTables.Pairs, _ before: Database, _ after: Database) throws {
        let order = pairs.order ?? "NULL"
        let (own, other) = (pairs.own.column, pairs.other.column)
        var sql = "SELECT \(own) AS a, \(other) AS b, \(order) AS c FROM \(pairs.name) WHERE \(own) IS NOT NULL"
        if pairs.isReflexive {
            sql += """
                 UNION SELECT \(other), \(own), \(order) FROM \(pairs.name) AS s WHERE NOT EXISTS
                (SELECT 1 FROM \(pairs.name) AS o WHERE o.\(own) = s.\(other) AND o.\(other) = s.\(own))
                """
        }
        let newOrder = pairs.order == nil ? "NULL" : "\"target$order\""
        let old = try before.rows("SELECT a, b, c FROM (\(sql)) ORDER BY a, b")
        let new = try after.rows("SELECT \"source$\", \"target$\", \(newOrder) FROM \"\(pairs.new)\" ORDER BY 1, 2")
        #expect(old == new, "\(pairs.name)")
    }
}
