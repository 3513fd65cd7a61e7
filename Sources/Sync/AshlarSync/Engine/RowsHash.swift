import Ashlar
import AshlarSQLite
import Digests
import Foundation

/// The hash of the rows that a log has at a position.
///
/// All stores that have read the same entries have the same hash, whatever the layout of their files. It excludes
/// versions of rows and derived values, which each store has for itself. A large value counts by its hash, whether it
/// is in its row or not.
struct RowsHash {
    private var hash = SHA256()

    /// Returns the hash of the rows of a file, without a store's own changes, as 64 hexadecimal digits.
    static func of(_ tables: SyncedTables, _ connection: Connection) throws -> String {
        var rows = RowsHash()
        for table in tables.all { try rows.add(table, connection) }
        return rows.hash.finalizeHexadecimal()
    }

    private mutating func add(_ table: SyncedTable, _ connection: Connection) throws {
        let keys = table.stored.keyNames
        let columns = table.stored.columns.indices.filter { table.isWritable[$0] }.map { table.stored.columns[$0] }
        let names = keys + columns.sorted()
        add(table.name)
        for name in names { add(name) }
        let list = names.map(\.quotedIdentifier).joined(separator: ", ")
        let order = keys.map(\.quotedIdentifier).joined(separator: ", ")
        let statement = try connection.statement(
            "SELECT \(list) FROM \(table.name.quotedIdentifier) ORDER BY \(order)")
        defer { statement.reset() }
        while try statement.step() { for value in statement.values { add(value) } }
    }

    private mutating func add(_ value: SQLiteValue) {
        switch value {
        case .null: hash.update([0])
        case .integer(let number): add(1, UInt64(bitPattern: number))
        case .real(let number): add(2, number.bitPattern)
        case .text(let text):
            hash.update([3])
            add(text)
        case .blob(let bytes):
            hash.update([4])
            hash.update((TaggedBlob.loggedHash(bytes) ?? EntryBody.hash(of: bytes)).utf8)
        }
    }

    private mutating func add(_ text: String) {
        add(5, UInt64(text.utf8.count))
        hash.update(text.utf8)
    }

    private mutating func add(_ kind: UInt8, _ bits: UInt64) {
        hash.update([kind])
        withUnsafeBytes(of: bits.bigEndian) { hash.update($0) }
    }
}
