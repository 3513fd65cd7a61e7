import AshlarSync
import Foundation

/// The state of a log's model and of its tables.
struct StoredModel {
    let log: Int64
    /// The newest entry of the log, and the last one that was removed.
    var head: Int64
    var compacted: Int64
    /// The name of the schema that the tables are in.
    var schema: String
    /// A number that changes with the model, and with any other reason to create the tables again.
    var generation: Int64
    /// The tables' version of the model; nil if there are no tables.
    var version: String?
    /// The position up to which the tables have the log; nil if they must be created again.
    var position: Int64?
    /// The reason for which the tables do not follow the log.
    var reason: String?

    /// Nil if the log has no model.
    init?(ofLog log: Int64, _ connection: PostgresConnection) throws {
        let rows = try connection.run(
            """
            SELECT l.head, l.compacted, m.schema_name, m.generation, m.version, m.position, m.reason
            FROM ashlar_model m JOIN ashlar_log l ON l.id = m.log WHERE m.log = $1
            """, [.integer(log)])
        guard let row = rows.first, row.count == 7 else { return nil }
        self.log = log
        head = try PostgresLog.integer(row[0])
        compacted = try PostgresLog.integer(row[1])
        schema = row[2] ?? ""
        generation = try PostgresLog.integer(row[3])
        version = row[4]
        position = row[5].flatMap { Int64($0) }
        reason = row[6]
    }

    /// The bytes of the model.
    func model(_ connection: PostgresConnection) throws -> Data {
        let rows = try connection.run("SELECT model FROM ashlar_model WHERE log = $1", [.integer(log)])
        guard let bytes = rows.first?.first??.postgresBytes else { throw SyncLogError.missing("the model") }
        return bytes
    }

    /// Stores the version and position of the tables.
    func note(_ version: String?, _ position: Int64?, _ connection: PostgresConnection) throws {
        try connection.run(
            "UPDATE ashlar_model SET version = $2, position = $3 WHERE log = $1",
            [.integer(log), version.map { .text($0) } ?? .null, position.map { .integer($0) } ?? .null])
    }

    /// Stores the reason for which the tables no longer follow the log.
    func stop(_ reason: String, _ connection: PostgresConnection) throws {
        try connection.run(
            "UPDATE ashlar_model SET reason = $2 WHERE log = $1", [.integer(log), .text(reason)])
    }

    /// Makes all hubs create the tables again, because the log was changed otherwise than by an append.
    static func invalidate(ofLog log: Int64, _ connection: PostgresConnection) throws {
        try connection.run(
            "UPDATE ashlar_model SET generation = generation + 1, position = NULL, reason = NULL WHERE log = $1",
            [.integer(log)])
    }

    /// Removes the model and the schema with its tables.
    func remove(_ connection: PostgresConnection) throws {
        try connection.run("DROP SCHEMA IF EXISTS \(PostgresName.quoted(schema)) CASCADE")
        try connection.run("DELETE FROM ashlar_model WHERE log = $1", [.integer(log)])
    }

    /// Removes all tables of the schema, with views on them.
    func removeTables(_ connection: PostgresConnection) throws {
        let rows = try connection.run("SELECT tablename FROM pg_tables WHERE schemaname = $1", [.text(schema)])
        for case let name?? in rows.map(\.first) {
            try connection.run("DROP TABLE \(PostgresName.quoted(schema)).\(PostgresName.quoted(name)) CASCADE")
        }
    }
}
