import Ashlar
import AshlarSQLite

/// Refuses rows that the model does not allow, in a store and in a copy of a log's rows, so that both leave out the
/// same entries.
final class RowCheck {
    private let model: ChangedTables
    private var narrowColumns: NarrowColumns
    /// The positions of references in the rows of tables, by their names.
    private var references: [String: [Int]] = [:]

    init(_ model: ChangedTables, _ narrowColumns: [String: [String: NarrowColumn]]) {
        self.model = model
        self.narrowColumns = NarrowColumns(narrowColumns)
    }

    /// Refuses a row whose entity, references or values the model does not allow.
    ///
    /// - Throws: ``EntryBody/Malformed``.
    func check(_ change: RowChange) throws {
        try narrowColumns.requireReadable(change)
        let table = change.table
        if let position = table.entityPosition, let value = change.values[position] {
            guard let entity = model.entity(of: table.name, value), !entity.isAbstract else {
                throw EntryBody.Malformed(reason: "a row of \(table.name) belongs to no entity of the model")
            }
        }
        for position in referencePositions(table) {
            switch change.values[position] {
            case nil, .null?: continue
            case .integer(let row)? where row >= 1 && row <= 1 << 62: continue
            default: throw EntryBody.Malformed(reason: "a row of \(table.name) has an invalid reference")
            }
        }
    }

    private func referencePositions(_ table: SyncedTable) -> [Int] {
        if let known = references[table.name] { return known }
        let found = model.references.filter { $0.table == table.name }.compactMap {
            table.stored.columns.firstIndex(of: $0.column)
        }
        references[table.name] = found
        return found
    }
}
