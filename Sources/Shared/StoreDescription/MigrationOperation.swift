import SQLQuoting

/// The operation of one statement of a migration.
///
/// The planner makes the values, generated code contains them, and the runtime runs them. The SQL that is proven,
/// reviewed and run is printed from the value.
package enum MigrationOperation: Sendable, Hashable {
    // Tables
    case createTable(String, definition: String)
    /// Makes the table that replaces another one, under a temporary name.
    case createReplacement(of: String, definition: String)
    /// Gives the filled replacement the name of the dropped table.
    case replaceTable(String)
    case dropTable(String)
    case renameTable(String, to: String)

    // Columns
    case addColumn(definition: String, to: String)
    case dropColumn(String, of: String)
    case renameColumn(String, of: String, to: String)

    // Indexes, triggers and virtual tables
    case createIndex(String, on: String, definition: String)
    case dropIndex(String, ifExists: Bool = false)
    case createTrigger(String, definition: String)
    case dropTrigger(String, ifExists: Bool = false)
    case createVirtualTable(String, definition: String)
    case fillVirtualTable(VirtualTableContents, from: String)
    case dropVirtualTable(String, ifExists: Bool = false)

    // Rows
    case copyRows(RowCopy)
    /// Inserts rows that are made from rows of other tables.
    case insertRows(into: String, reading: [String], statement: String)
    case updateRows(RowUpdate)
    case deleteRows(of: String, condition: String)
    /// Makes the table's entry in `sqlite_sequence` if it is missing.
    case makeMark(of: String)
    /// Raises the entry in `sqlite_sequence` to those of other tables, so that no rowid is used twice.
    case raiseMark(of: String, from: [String])
    /// Reads rows, and changes nothing.
    case query(reading: [String], statement: String)

    /// A statement written by hand.
    case other(String)

    // MARK: Names

    private static let replacementSuffix = "$$new"

    /// The temporary name of the replacement of a table.
    package static func replacementName(of table: String) -> String { table + replacementSuffix }

    /// The table that a replacement with this name replaces; nil for any other name.
    package static func replacedTable(by name: String) -> String? {
        name.hasSuffix(replacementSuffix) ? String(name.dropLast(replacementSuffix.count)) : nil
    }

    /// Whether a table takes the name of a dropped one, so that SQLite must neither change nor check references to the
    /// name.
    package var isReplacement: Bool { if case .replaceTable = self { true } else { false } }

    // MARK: Other forms

    /// The operation, without an error if the dropped index, trigger or virtual table is missing.
    package var tolerant: MigrationOperation {
        switch self {
        case .dropIndex(let name, _): .dropIndex(name, ifExists: true)
        case .dropTrigger(let name, _): .dropTrigger(name, ifExists: true)
        case .dropVirtualTable(let name, _): .dropVirtualTable(name, ifExists: true)
        default: self
        }
    }

    /// The operation, with queries in place of tables, each as `name AS (query)`.
    package func reading(_ queries: [String]) -> MigrationOperation {
        if queries.isEmpty { return self }
        let statement = "WITH \(queries.joined(separator: ",\n    "))\n\(sql)"
        return switch self {
        case .query(let tables, _): .query(reading: tables, statement: statement)
        case .insertRows(let table, let tables, _):
            .insertRows(into: table, reading: tables, statement: statement)
        case .copyRows(let copy): .insertRows(into: copy.table, reading: [copy.source], statement: statement)
        case .fillVirtualTable(let contents, let table):
            .insertRows(into: contents.name, reading: [table], statement: statement)
        default: .other(statement)
        }
    }
}
