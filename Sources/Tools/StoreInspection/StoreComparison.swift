import Ashlar
import AshlarSQLite
import Foundation
import SQLQuoting

/// The differences between the rows of two stores. Rows with the same identity, the primary key, are the same.
///
/// Both are read in the order of their keys, side by side, so that the memory that it takes does not grow with them.
package struct StoreComparison: Sendable, Encodable {
    /// A row that is only in one store, or has other values.
    package struct Row: Sendable, Encodable {
        /// The kind of a change from the first store to the second.
        package enum Action: String, Sendable, Encodable {
            case added, removed, changed
        }

        /// A value that differs.
        package struct Value: Sendable, Encodable {
            package var column: String
            package var before: String
            package var after: String
        }

        package var action: Action
        package var key: String
        /// Of a changed row.
        package var values: [Value] = []
    }

    /// A table of both stores, or of one.
    package struct Table: Sendable, Encodable {
        package var name: String
        /// Whether only the first store has it, or only the second; nil for both.
        package var onlyIn: Int?
        package var same: Int64 = 0
        package var added: Int64 = 0
        package var removed: Int64 = 0
        package var changed: Int64 = 0
        /// The columns that only one of the stores has, which are not compared.
        package var columnsOnlyInFirst: [String] = []
        package var columnsOnlyInSecond: [String] = []
        /// The first rows that differ.
        package var rows: [Row] = []

        package var isSame: Bool {
            onlyIn == nil && added == 0 && removed == 0 && changed == 0 && columnsOnlyInFirst.isEmpty
                && columnsOnlyInSecond.isEmpty
        }
    }

    /// By name.
    package private(set) var tables: [Table] = []
    /// The virtual tables of another program's file that may hold data that is in no other table.
    package private(set) var notCompared: [String] = []

    /// Whether both stores have the same content.
    package var isSame: Bool { tables.allSatisfy(\.isSame) }

    /// Compares two stores without changing them.
    ///
    /// - Parameter limit: The number of rows of a table that are listed individually.
    /// - Throws: `StoreError`.
    package init(of first: URL, and second: URL, limit: Int) throws {
        let temporary = FileManager.default.temporaryDirectory
        let files = try [first, second].map { try UnchangedFile($0, copyingInto: temporary) }
        let sides = try zip(files, [first, second]).map { try ComparedStore($0, $1) }
        notCompared = Set(sides.flatMap(\.virtualTables)).sorted()
        let names = Set(sides.flatMap { $0.tables.keys }).sorted()
        for name in names {
            switch (sides[0].tables[name], sides[1].tables[name]) {
            case (let before?, let after?):
                tables.append(try Self.compare(name, sides, before, after, limit))
            case (nil, _?):
                tables.append(Table(name: name, onlyIn: 2, added: try sides[1].count(name)))
            case (_, _): tables.append(Table(name: name, onlyIn: 1, removed: try sides[0].count(name)))
            }
        }
        for file in files { try file.requireUnchanged(doing: "comparing the stores") }
    }

    private static func compare(
        _ name: String, _ sides: [ComparedStore], _ before: ComparedStore.Form, _ after: ComparedStore.Form,
        _ limit: Int
    ) throws -> Table {
        var table = Table(name: name)
        table.columnsOnlyInFirst = before.columns.filter { !after.columns.contains($0) }
        table.columnsOnlyInSecond = after.columns.filter { !before.columns.contains($0) }
        // The number of times that a row was saved differs between stores, if the same rows came another way.
        let columns = before.columns.filter { after.columns.contains($0) && $0 != "version$" }
        guard before.keys == after.keys else {
            table.removed = try sides[0].count(name)
            table.added = try sides[1].count(name)
            return table
        }
        var rows = try sides.map { try ComparedRows($0, name, before.keys, columns) }
        while true {
            let order: Int
            switch (rows[0].current, rows[1].current) {
            case (nil, nil): return table
            case (_?, nil): order = -1
            case (nil, _?): order = 1
            case (let left?, let right?): order = ComparedRows.compare(left.key, right.key)
            }
            var found: Row?
            if order < 0, let row = rows[0].current {
                table.removed += 1
                found = Row(action: .removed, key: row.keyText)
            } else if order > 0, let row = rows[1].current {
                table.added += 1
                found = Row(action: .added, key: row.keyText)
            } else if let left = rows[0].current, let right = rows[1].current {
                let values = try zip(zip(left.values, right.values), columns).compactMap { pair, column in
                    try sides[0].isSame(pair.0, pair.1, in: sides[1])
                        ? nil
                        : Row.Value(
                            column: column, before: sides[0].shown(pair.0), after: sides[1].shown(pair.1))
                }
                if values.isEmpty {
                    table.same += 1
                } else {
                    table.changed += 1
                    found = Row(action: .changed, key: left.keyText, values: values)
                }
            }
            if let found, table.rows.count < limit { table.rows.append(found) }
            if order <= 0 { try rows[0].advance() }
            if order >= 0 { try rows[1].advance() }
        }
    }
}
