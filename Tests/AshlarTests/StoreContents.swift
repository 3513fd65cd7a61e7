import AshlarSQLite
import Foundation
import Testing

@testable import Ashlar

/// All rows of all tables of a store, without the rows' versions and the keys of orders, which may differ between
/// equal stores.
struct StoreContents: Equatable {
    private var tables: [String: [[SQLiteValue]]] = [:]

    init(_ container: ModelContainer) throws {
        try container.pool.write { connection in
            let names = try connection.rows(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'ashlar$%' "
                    + "AND name NOT LIKE 'sqlite%' AND name NOT GLOB 'rtree$*_*'")
            for case .text(let table) in names.map({ $0[0] }) {
                let columns = try connection.rows("SELECT name FROM pragma_table_xinfo(?1)", [.text(table)])
                let kept = columns.compactMap { row -> String? in
                    guard case .text(let name) = row[0], name != "version$", !name.hasSuffix("$order") else {
                        return nil
                    }
                    return name.hasPrefix("modified") ? nil : name
                }
                let list = kept.map(\.quotedIdentifier).joined(separator: ", ")
                tables[table] = try connection.rows("SELECT \(list) FROM \(table.quotedIdentifier) ORDER BY 1, 2")
            }
        }
    }

    var rowCount: Int { tables.values.reduce(0) { $0 + $1.count } }

    /// Describes the first difference between two stores. Returns nil if they are equal.
    func difference(from other: StoreContents) -> String? {
        for (table, rows) in tables.sorted(by: { $0.key < $1.key }) where other.tables[table] != rows {
            let others = other.tables[table] ?? []
            let index = zip(rows, others).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            let shown = index.map { "\(rows[$0])\nand not\n\(others[$0])" } ?? "\(rows.count) and not \(others.count)"
            return "\(table): \(shown)"
        }
        return nil
    }
}
