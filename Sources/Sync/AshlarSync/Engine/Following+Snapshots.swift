import Ashlar
import AshlarSQLite

/// Replaces all rows with those of a snapshot.
extension Following {
    func replaceRows(with file: Connection) throws {
        let rows = try SnapshotRows(file)
        var folder = RowFolder(connection)
        var deletions: [RowChange] = []
        for table in tables.all {
            let order = table.stored.keyNames.map(\.quotedIdentifier).joined(separator: ", ")
            var keys: Set<RowKey> = []
            // The rows to write next; new rows are collected.
            var (next, size): ([RowChange], Int) = ([], 0)
            let mine = try connection.rows("SELECT \(order) FROM \(table.name.quotedIdentifier)")
            for row in mine {
                keys.insert(RowKey(first: row[0].storedInteger, second: row.count > 1 ? row[1].storedInteger : nil))
            }
            try rows.forEach(of: table, rowCheck) { found in
                var change = found
                if keys.remove(found.key) != nil {
                    guard let now = try table.row(found.key, connection),
                        let update = try ShadowTables.update(
                            table, found.key, from: now, to: found.values.map { $0 ?? .null }, connection)
                    else { return }
                    change = update
                }
                change = try placed(change)
                next.append(change)
                size += change.byteCount
                note(change)
                if next.count == table.rowsPerInsertion || size >= 1 << 20 {
                    try folder.write(next[...])
                    (next, size) = ([], 0)
                }
            }
            try folder.write(next[...])
            deletions += keys.sorted().map { RowChange(table: table, operation: .delete, key: $0, values: []) }
        }
        if isNotingRemovals { try noteRemovals(deletions) }
        try folder.fold(deletions)
        for change in deletions { note(change) }
    }
}
