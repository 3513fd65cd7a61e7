import AshlarSQLite

/// The handling of references to missing objects, and of several references to an object that allows one.
extension ChangesetApplication {
    /// Settles references of written rows to objects that another row of this store refers to as well.
    func settleSharedReferences(of changes: [Change]) throws {
        for change in changes {
            for reference in tables.references where reference.isOneToOne && reference.table == change.table.name {
                guard change.new[reference.column] != nil, let row = change.row else { continue }
                try settle(reference, of: merger.current(change.table.name, row), change)
            }
        }
    }

    private func settle(_ reference: StoredReference, of row: Int64, _ change: Change) throws {
        let stored = try change.table.values(of: [.integer(row)], connection)
        guard let stored, case .integer(let target)? = stored[reference.column] else { return }
        let others = try connection.rows(
            "SELECT \"id$\" FROM \(change.table.name.quotedIdentifier) "
                + "WHERE \(reference.column.quotedIdentifier) = ?1 AND \"id$\" <> ?2",
            [.integer(target), .integer(row)])
        for other in others.map({ $0[0].storedInteger }) {
            let resolution = try settle(.data, change, stored: stored, other: other)
            try give(up: reference, of: resolution == .replace ? other : row, change.table)
            if resolution != .replace { return }
        }
    }

    /// Sets a reference to NULL, or deletes the row if the reference is required.
    private func give(up reference: StoredReference, of row: Int64, _ table: StoredTable) throws {
        if reference.isRequired {
            try table.delete([.integer(row)], connection)
            noteDeletion(row, table.name)
        } else {
            try table.update([.integer(row)], [reference.column: .null], connection)
            noteUpdate(row, table.name)
        }
    }

    /// Settles references to missing rows, which the commit would refuse.
    func settleReferences() throws {
        // Other rows may refer to a row that is deleted here.
        while try connection.hasUnmetReferences() {
            var isSettled = false
            for table in tables.tracked.keys.sorted() {
                for key in try connection.schema(holding: table).foreignKeys(of: table) {
                    if try settle(reference: key.column, to: key.table, of: tables.shape(table)) { isSettled = true }
                }
            }
            if !isSettled { return }
        }
    }

    private func settle(reference column: String, to parent: String, of table: StoredTable) throws -> Bool {
        let keys = table.keyNames.map(\.quotedIdentifier).joined(separator: ", ")
        let reference = column.quotedIdentifier
        let rows = try connection.rows(
            """
            SELECT \(keys), \(reference) FROM \(table.name.quotedIdentifier)
            WHERE \(reference) IS NOT NULL AND \(reference) NOT IN (SELECT "id$" FROM \(parent.quotedIdentifier))
            """)
        let isRequired = tables.references.contains {
            $0.table == table.name && $0.column == column && $0.isRequired
        }
        for row in rows {
            let change = Change(
                table: table, operation: .update, key: Array(row.dropLast()), old: [:], new: [column: .null])
            let values = try table.values(of: change.key, connection) ?? [:]
            let conflict = ChangesetConflict(
                kind: .foreignKey, operation: .update, table: table.name, identifier: try identifier(change),
                values: [column: row[row.count - 1]], storedValues: values)
            _ = try resolution(of: conflict)
            if !table.keyNames.contains(column), !isRequired, case .done = try write(change) { continue }
            try table.delete(change.key, connection)
            try note(change, as: .delete)
        }
        return !rows.isEmpty
    }
}
