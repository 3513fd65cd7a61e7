import Ashlar
import AshlarSQLite
import Digests
import Foundation

/// The file of a snapshot: a store's file without the data that belongs to one store only.
enum SnapshotFile {
    /// Opens a file that is not trusted.
    static func open(_ file: URL) throws -> Connection {
        let connection = try ModelContainer.connection(toFileAt: file)
        try connection.distrustFile()
        return connection
    }

    /// Removes the data that belongs to one store only, and puts large values into their rows.
    static func clean(_ tables: SyncedTables, _ connection: Connection) throws {
        for table in tables.all {
            for (position, name) in table.stored.columns.enumerated() where table.isWritable[position] {
                let column = name.quotedIdentifier
                let keys = table.stored.keyNames.map(\.quotedIdentifier).joined(separator: ", ")
                let rows = try connection.rows(
                    "SELECT \(keys), \(column) FROM \(table.name.quotedIdentifier) "
                        + "WHERE typeof(\(column)) = 'blob' AND substr(\(column), 1, 12) = x'6173686C61722466696C653A'")
                for row in rows {
                    let statement = try connection.statement(
                        "UPDATE \(table.name.quotedIdentifier) SET \(column) = ?\(row.count) WHERE \(table.condition())"
                    )
                    for (index, value) in row.dropLast().enumerated() { statement.bind(value, Int32(index + 1)) }
                    statement.bindStored(
                        try ModelContainer.content(row[row.count - 1], connection), Int32(row.count))
                    try statement.run()
                }
            }
        }
        try ShadowTables.remove(connection)
        for table in SyncState.tables { try connection.execute("DROP TABLE IF EXISTS \(table.quotedIdentifier)") }
        for table in ["ashlar$change", "ashlar$tombstone", "ashlar$transaction"] {
            try connection.execute("DELETE FROM \(table.quotedIdentifier)")
        }
    }

    /// Makes the file as small as it gets, and one file.
    static func finish(_ file: URL, _ connection: Connection) throws -> (text: String, byteCount: Int64) {
        try connection.execute("VACUUM")
        _ = try connection.rows("PRAGMA journal_mode = DELETE")
        return try hash(of: file)
    }

    static func hash(of file: URL) throws -> (text: String, byteCount: Int64) {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        var hash = SHA256()
        var count: Int64 = 0
        while let bytes = try handle.read(upToCount: 1 << 20), !bytes.isEmpty {
            hash.update(bytes)
            count += Int64(bytes.count)
        }
        return (hash.finalizeHexadecimal(), count)
    }
}

@_spi(Hub) extension SyncSnapshot {
    /// Returns whether the bytes of a file are those of the snapshot.
    ///
    /// - Throws: The error of the file system if the file cannot be read.
    public func hasBytes(of file: URL) throws -> Bool {
        let found = try SnapshotFile.hash(of: file)
        return found.text == hash && found.byteCount == byteCount
    }
}
