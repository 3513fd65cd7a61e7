import Ashlar
import AshlarSQLite
import Foundation

/// The columns whose large values stay in the log until they are read.
struct LoggedColumns: Sendable {
    private var names: [String: Set<String>] = [:]

    init(_ model: ModelDescription) {
        for entity in model.entities where !entity.loggedColumns.isEmpty {
            names[entity.tableName, default: []].formUnion(entity.loggedColumns)
        }
    }

    var isEmpty: Bool { names.isEmpty }

    func contains(_ column: String, of table: String) -> Bool { names[table]?.contains(column) ?? false }

    /// The hashes that rows have in place of values.
    func hashes(_ connection: Connection) throws -> Set<String> {
        var hashes: Set<String> = []
        for (table, columns) in names {
            for column in columns.map(\.quotedIdentifier) {
                // SQLite finds a value's length without reading the value.
                let statement = try connection.statement(
                    "SELECT \(column) FROM \(table.quotedIdentifier) WHERE typeof(\(column)) = 'blob' "
                        + "AND length(\(column)) = \(TaggedBlob.valueTag.count + 64)")
                defer { statement.reset() }
                while try statement.step() {
                    guard case .blob(let bytes)? = statement.values.first else { continue }
                    if let hash = TaggedBlob.loggedHash(bytes) { hashes.insert(hash) }
                }
            }
        }
        return hashes
    }

    /// Records that the log has a value, so that it is not sent again.
    static func noteGiven(_ hash: String, _ connection: Connection) throws {
        let statement = try connection.statement(
            "INSERT INTO \"ashlar$syncGiven\" (\"hash\") VALUES (?1) ON CONFLICT DO NOTHING")
        statement.bind(hash, 1)
        try statement.run()
    }

    /// Replaces large values in a copy of a store with hashes, and sends the log the values that it lacks.
    ///
    /// - Parameters:
    ///   - threshold: The number of bytes from which on a value is large.
    ///   - add: Sends a value to the log.
    func replaceValues(
        in connection: Connection, from threshold: Int, isolation: isolated (any Actor)? = #isolation,
        _ add: (String, Data) async throws -> Void
    ) async throws {
        for (table, columns) in names.sorted(by: { $0.key < $1.key }) {
            let name = table.quotedIdentifier
            for column in columns.sorted().map(\.quotedIdentifier) {
                // The one that refers to a file is short.
                let rows = try connection.rows(
                    "SELECT \"id$\" FROM \(name) WHERE typeof(\(column)) = 'blob' AND (length(\(column)) >= ?1 "
                        + "OR substr(\(column), 1, \(TaggedBlob.fileTag.count)) = ?2) ORDER BY \"id$\"",
                    [.integer(Int64(threshold)), .blob(Data(TaggedBlob.fileTag))])
                for row in rows {
                    let found = try connection.rows("SELECT \(column) FROM \(name) WHERE \"id$\" = ?1", row)
                    guard let stored = found.first?.first,
                        case .blob(let bytes) = try ModelContainer.content(stored, connection),
                        bytes.count >= threshold, TaggedBlob.loggedHash(bytes) == nil
                    else { continue }
                    let hash = EntryBody.hash(of: bytes)
                    try await add(hash, bytes)
                    let statement = try connection.statement("UPDATE \(name) SET \(column) = ?2 WHERE \"id$\" = ?1")
                    statement.bind(row[0], 1)
                    statement.bindStored(.blob(TaggedBlob.blob(ofLoggedHash: hash)), 2)
                    try statement.run()
                }
            }
        }
    }
}
