import SQLQuoting

/// What a statement of a migration does.
///
/// The planner makes these values, the generator writes them into code, and the runtime has them: the SQL that is proven,
/// reviewed and run is printed here from the value, and nobody reads it to find out what it does.
package enum MigrationOperation: Sendable, Hashable {
    // Tables
    case createTable(String, definition: String)
    /// Makes the table that is to take the place of another, under a name for the while.
    case createReplacement(of: String, definition: String)
    /// Gives that table, which has the rows by now, the name of the one that was dropped.
    case replaceTable(String)
    case dropTable(String)
    case renameTable(String, to: String)

    // Columns
    case addColumn(definition: String, to: String)
    case dropColumn(String, of: String)
    case renameColumn(String, of: String, to: String)

    // What belongs to tables
    case createIndex(String, on: String, definition: String)
    case dropIndex(String, ifExists: Bool = false)
    case createTrigger(String, definition: String)
    case dropTrigger(String, ifExists: Bool = false)
    case createVirtualTable(String, definition: String)
    case fillVirtualTable(VirtualTableContents, from: String)
    case dropVirtualTable(String, ifExists: Bool = false)

    // Rows
    case copyRows(RowCopy)
    /// Writes rows into a table that are made from those of others.
    case insertRows(into: String, reading: [String], statement: String)
    case updateRows(RowUpdate)
    case deleteRows(of: String, condition: String)
    /// Sees to it that there is a mark of the rowids that a table ever used.
    case makeMark(of: String)
    /// Carries over what rowids other tables ever used, so that none is used twice.
    case raiseMark(of: String, from: [String])
    /// Reads rows of tables, and changes nothing.
    case query(reading: [String], statement: String)

    /// Of this only the text is known: a person wrote it.
    case other(String)

    // MARK: Names

    private static let replacementSuffix = "$$new"

    /// What the table is called that is to take the place of another.
    package static func replacementName(of table: String) -> String { table + replacementSuffix }

    /// The table whose place one is to take, by its name; nil for any other.
    package static func replacedTable(by name: String) -> String? {
        name.hasSuffix(replacementSuffix) ? String(name.dropLast(replacementSuffix.count)) : nil
    }

    /// Whether a table takes the name of one that was dropped, so that what refers to that name must neither change nor be
    /// tested.
    package var isReplacement: Bool { if case .replaceTable = self { true } else { false } }

    // MARK: Other forms

    /// The same where what is dropped need not be there, if it holds nothing of its own.
    package var tolerant: MigrationOperation {
        switch self {
        case .dropIndex(let name, _): .dropIndex(name, ifExists: true)
        case .dropTrigger(let name, _): .dropTrigger(name, ifExists: true)
        case .dropVirtualTable(let name, _): .dropVirtualTable(name, ifExists: true)
        default: self
        }
    }

    /// The same with rows of tables as queries tell them, each `name AS (query)`.
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
