import AshlarSQLite
import SystemFoundation

/// The state of a replica relative to its primary, stored in the replica's metadata, so that one transaction changes
/// both.
struct ReplicaState: Codable, Hashable {
    private static let key = "replica"

    /// The place in the primary's history that the replica has reached.
    var primary: PersistentHistoryToken
    /// The place in the replica's own history at which it was the same as the primary. Later changes are pending.
    var own: PersistentHistoryToken

    /// Reads the state. Throws ``ChangesetError/notReplica`` if there is none, or ``ChangesetError/damagedReplica`` if
    /// it differs from the format of ``write(_:)``.
    init(_ connection: Connection) throws {
        let rows = try connection.rows(
            "SELECT \"value\" FROM \"ashlar$metadata\" WHERE \"key\" = ?1", [.text(Self.key)])
        guard let text = rows.first?[0].storedText else { throw ChangesetError.notReplica }
        guard let state = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else {
            throw ChangesetError.damagedReplica
        }
        self = state
    }

    init(primary: PersistentHistoryToken, own: PersistentHistoryToken) {
        self.primary = primary
        self.own = own
    }

    func write(_ connection: Connection) throws {
        let statement = try connection.statement(
            """
            INSERT INTO "ashlar$metadata" ("key", "value") VALUES (?1, ?2)
            ON CONFLICT ("key") DO UPDATE SET "value" = excluded."value"
            """)
        statement.bind(Self.key, 1)
        statement.bind(String(decoding: try JSONEncoder().encode(self), as: UTF8.self), 2)
        try statement.run()
    }
}
