import Ashlar
import AshlarSQLite
import Foundation

/// The identities of the newest entries that a store has followed. They show whether the log was put back.
struct EntryMarks {
    static let table = "ashlar$syncMark"
    static let definition = """
        CREATE TABLE IF NOT EXISTS "ashlar$syncMark" (
            "position" INTEGER PRIMARY KEY, "entry" BLOB NOT NULL
        ) STRICT
        """
    /// The number of kept identities. A log that was put back by more entries begins anew for its stores.
    private static let count: Int64 = 10_000

    let connection: Connection

    /// The identity of the entry at a position; nil if it is unknown.
    func entry(at position: Int64) throws(SQLiteError) -> UUID? {
        let rows = try connection.rows(
            "SELECT \"entry\" FROM \"ashlar$syncMark\" WHERE \"position\" = ?1", [.integer(position)])
        guard case .blob(let bytes)? = rows.first?.first else { return nil }
        return UUID(bytes: bytes)
    }

    /// The positions whose entries are known, the oldest first, up to one.
    func positions(upTo position: Int64) throws(SQLiteError) -> [(position: Int64, entry: UUID)] {
        let rows = try connection.rows(
            "SELECT \"position\", \"entry\" FROM \"ashlar$syncMark\" WHERE \"position\" <= ?1 ORDER BY \"position\"",
            [.integer(position)])
        return rows.compactMap { row in
            guard case .blob(let bytes) = row[1], let entry = UUID(bytes: bytes) else { return nil }
            return (row[0].storedInteger, entry)
        }
    }

    func note(_ entry: UUID?, at position: Int64) throws(SQLiteError) {
        try connection.run(
            "DELETE FROM \"ashlar$syncMark\" WHERE \"position\" = ?1 OR \"position\" <= ?2",
            [.integer(position), .integer(position - Self.count)])
        guard let entry else { return }
        try connection.run(
            "INSERT INTO \"ashlar$syncMark\" (\"position\", \"entry\") VALUES (?1, ?2)",
            [.integer(position), .blob(entry.bytes)])
    }

    func removeAll(after position: Int64) throws(SQLiteError) {
        try connection.run("DELETE FROM \"ashlar$syncMark\" WHERE \"position\" > ?1", [.integer(position)])
    }
}
