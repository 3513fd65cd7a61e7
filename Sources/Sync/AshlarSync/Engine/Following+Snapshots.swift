import Ashlar
import AshlarSQLite

/// Makes all rows what a snapshot says.
extension Following {
    func replaceRows(with file: Connection) throws {
        /// Converts errors of reading the file, which are not errors of the store.
        func reading<Result>(_ body: () throws -> Result) throws -> Result {
            do { return try body() } catch let error as SQLiteError { throw RowFolder.Mismatch(reason: "\(error)") }
        }
        let theirs = try reading { try SyncedTables(fileOf: file) }
        var folder = RowFolder(connection)
        var deletions: [RowChange] = []
        for table in tables.all {
            guard let source = theirs.byName[table.name], Set(source.stored.columns) == Set(table.stored.columns) else {
                throw RowFolder.Mismatch(reason: "it has no table \(table.name), or one with other columns")
            }
            let list = table.columnList()
            let order = table.stored.keyNames.map(\.quotedIdentifier).joined(separator: ", ")
            let query = "SELECT \(list) FROM \(table.name.quotedIdentifier) ORDER BY \(order)"
            let statement = try reading { try file.statement(query) }
            defer { statement.reset() }
            var keys: Set<RowKey> = []
            // Those that are written next, together where they are new.
            var (next, size): ([RowChange], Int) = ([], 0)
            let mine = try connection.rows("SELECT \(order) FROM \(table.name.quotedIdentifier)")
            for row in mine {
                keys.insert(RowKey(first: row[0].storedInteger, second: row.count > 1 ? row[1].storedInteger : nil))
            }
            while try reading({ try statement.step() }) {
                let values = statement.values
                guard let key = table.key(of: values), key.isValid else {
                    throw RowFolder.Mismatch(reason: "a row of \(table.name) has a key that no row may have")
                }
                var change = RowChange(table: table, operation: .insert, key: key, values: values)
                try rowCheck.check(change)
                if keys.remove(key) != nil {
                    guard let now = try table.row(key, connection),
                        let update = try ShadowTables.update(table, key, from: now, to: values, connection)
                    else { continue }
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
