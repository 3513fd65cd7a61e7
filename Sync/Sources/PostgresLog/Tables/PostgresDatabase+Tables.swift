@_spi(Hub) import AshlarSync
import Foundation
@_spi(Hub) import LogTables

/// The model of a log and its tables, for the operator.
public struct PostgresModelSummary: Sendable, Hashable {
    /// The name of the model.
    public var name: String
    /// The schema of the tables.
    public var schema: String
    /// The hash of the tables' version; nil if there are no tables yet.
    public var version: String?
    /// The position up to which the tables have the log; nil if there are none.
    public var position: Int64?
    /// The position of the log's newest entry.
    public var head: Int64
    /// The reason for which the tables do not follow the log; nil if they do.
    public var reason: String?
}

/// The rows of logs as tables, for queries in SQL.
extension PostgresDatabase {
    /// Gives a log its model. From now on, each append also writes the rows that it changes to tables of a schema.
    ///
    /// The rows so far are written at once. A newer model replaces the one before.
    ///
    /// - Parameters:
    ///   - path: The path of the model.
    ///   - name: The name of the log, which is created if there is none.
    ///   - configuration: The path of the `ashlar.json` that counts, in place of those in the model's package.
    /// - Throws: ``SyncLogError/refused(reason:)`` if the model is not valid, the log has a version that the model does
    ///   not have, or its entries cannot be read.
    public func pushModel(
        at path: String, toLog name: String, configuration: String? = nil
    ) async throws -> PostgresModelSummary {
        let model: PushedModel
        do { model = try PushedModel(readingFrom: path, configuration: configuration) } catch let error
            as PushedModel.Invalid
        {
            throw SyncLogError.refused(reason: error.description)
        }
        let number = try await number(ofLog: name)
        let schema = PostgresName.bounded("log_\(name)")
        try await follow(number) { connection, follower in
            let isNew = try StoredModel(ofLog: number, connection) == nil
            try connection.run(
                """
                INSERT INTO ashlar_model (log, model, name, schema_name, generation) VALUES (
                    $1, $2, $3, $4, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
                ON CONFLICT (log) DO UPDATE SET model = excluded.model, name = excluded.name,
                    generation = ashlar_model.generation + 1, version = NULL, position = NULL, reason = NULL
                """, [.integer(number), .bytes(model.data), .text(model.name), .text(schema)])
            if isNew { try connection.run("CREATE SCHEMA \(PostgresName.quoted(schema))") }
            try follower.update(connection)
            if let reason = try StoredModel(ofLog: number, connection)?.reason {
                throw SyncLogError.refused(reason: reason)
            }
        }
        guard let summary = try await self.model(ofLog: name) else { throw SyncLogError.missing("the model") }
        return summary
    }

    /// Returns the model of a log; nil if it has none.
    ///
    /// - Throws: ``SyncLogError/unreachable(reason:)`` if the database does not answer.
    public func model(ofLog name: String) async throws -> PostgresModelSummary? {
        let rows = try await use {
            try $0.run(
                """
                SELECT m.name, m.schema_name, m.version, m.position, l.head, m.reason
                FROM ashlar_model m JOIN ashlar_log l ON l.id = m.log WHERE l.name = $1
                """, [.text(name)])
        }
        return rows.first.map { row in
            PostgresModelSummary(
                name: row[0] ?? "", schema: row[1] ?? "", version: row[2], position: row[3].flatMap { Int64($0) },
                head: row[4].flatMap { Int64($0) } ?? 0, reason: row[5])
        }
    }

    /// Lets a role of the database read a log's tables, including those of later versions.
    ///
    /// - Throws: ``SyncLogError/missing(_:)`` if the log has no model, or ``SyncLogError/refused(reason:)`` if there is
    ///   no such role.
    public func grantTables(ofLog name: String, to role: String) async throws {
        let role = PostgresName.quoted(role)
        try await changeLog(name) { connection, log in
            guard let model = try StoredModel(ofLog: log.number, connection) else {
                throw SyncLogError.missing("the model of the log \(name)")
            }
            let schema = PostgresName.quoted(model.schema)
            try connection.run("GRANT USAGE ON SCHEMA \(schema) TO \(role)")
            try connection.run("GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO \(role)")
            try connection.run("ALTER DEFAULT PRIVILEGES IN SCHEMA \(schema) GRANT SELECT ON TABLES TO \(role)")
        }
    }

    /// Removes the model of a log, and its tables. The log stays.
    ///
    /// - Throws: ``SyncLogError/missing(_:)`` if the log has no model.
    public func dropModel(ofLog name: String) async throws {
        try await changeLog(name) { connection, log in
            guard let model = try StoredModel(ofLog: log.number, connection) else {
                throw SyncLogError.missing("the model of the log \(name)")
            }
            try model.remove(connection)
        }
    }

    // MARK: Appends

    /// Appends an entry, and updates the tables of its log in the same transaction if there are any.
    func append(_ wanted: PostgresAppend) async throws -> PostgresAppend.Answer {
        let answer = try await appends.ask(wanted, size: wanted.content.count)
        guard answer.refusal == "tables" else { return answer }
        return try await follow(wanted.log) { connection, follower in
            let answer = try wanted.run(connection)
            if answer.position != nil, answer.refusal == nil { try follower.update(connection) }
            return answer
        }
    }

    /// Brings the tables of a log to its newest entry, if it has any.
    func updateTables(ofLog number: Int64) async throws {
        let isNeeded = try await use { connection in
            try StoredModel(ofLog: number, connection).map { $0.reason == nil && $0.position != $0.head } ?? false
        }
        if isNeeded { try await follow(number) { try $1.update($0) } }
    }

    /// Runs a transaction that blocks appends to a log, with its follower.
    private func follow<Result: Sendable>(
        _ number: Int64, _ body: @escaping @Sendable (PostgresConnection, LogFollower) throws -> Result
    ) async throws -> Result {
        let follower = followers.withLock { followers in
            if let known = followers[number] { return known }
            // Each has a file, and is made again from the log.
            if followers.count >= 64, let other = followers.keys.randomElement() { followers[other] = nil }
            let follower = LogFollower(log: number)
            followers[number] = follower
            return follower
        }
        guard await follower.turn.wait() else {
            throw SyncLogError.unreachable(reason: "too many appends wait for the log's tables")
        }
        defer { follower.turn.signal() }
        return try await use { connection in
            follower.prepare(connection)
            do {
                let result = try connection.transaction {
                    try connection.run("SET LOCAL ashlar.tables = 'on'")
                    try connection.run("SELECT 1 FROM ashlar_log WHERE id = $1 FOR UPDATE", [.integer(number)])
                    return try body(connection, follower)
                }
                follower.commit()
                return result
            } catch {
                follower.rollBack()
                if error is PostgresError || error is SyncLogError { throw error }
                throw SyncLogError.unreachable(reason: "the tables of the log cannot be updated: \(error)")
            }
        }
    }
}
