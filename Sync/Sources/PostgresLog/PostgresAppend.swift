import AshlarSync
import Foundation

/// An entry to append to a log of a database.
struct PostgresAppend: Sendable {
    /// The number of the log.
    var log: Int64
    var head: Int64
    var site: UUID
    var count: Int64
    var content: Data
    /// The snapshot that the entry names, which must exist.
    var snapshot: UUID?
    /// The identity of the entry, and of the one before it.
    var id: UUID?
    var previous: UUID?

    /// The position of the entry, or that of the newest one, or the reason for a refusal.
    struct Answer: Sendable {
        var position: Int64?
        var head: Int64?
        var refusal: String?
    }

    /// Appends entries in one transaction. The entries of one log are appended in their order.
    static func run(_ appends: [PostgresAppend], _ pool: PostgresPool) async throws -> [Answer] {
        if appends.count == 1 { return [try await appends[0].run(pool)] }
        // An entry that names a snapshot may be refused, which undoes the whole transaction.
        let together = appends.indices.filter { appends[$0].snapshot == nil }
        var answers = [Answer](repeating: Answer(), count: appends.count)
        let values: [PostgresValue] = [
            .integers(together.map { appends[$0].log }), .integers(together.map { appends[$0].head }),
            .identifiers(together.map { appends[$0].site }), .integers(together.map { appends[$0].count }),
            .byteStrings(together.map { appends[$0].content }), .identifiers(together.map { appends[$0].id }),
            .identifiers(together.map { appends[$0].previous }),
        ]
        let rows =
            together.isEmpty
            ? []
            : try await pool.use {
                try $0.run(
                    """
                    SELECT number, at_position, at_head, refusal
                    FROM ashlar_append_all($1, $2, $3, $4, $5, $6, $7)
                    """, values)
            }
        for row in rows {
            guard row.count == 4, let number = row[0].flatMap({ Int($0) }), together.indices.contains(number - 1) else {
                throw SyncLogError.malformed(reason: "an append returned a row that does not belong to it")
            }
            answers[together[number - 1]] = answer(row[1], row[2], row[3])
        }
        for index in appends.indices where appends[index].snapshot != nil {
            answers[index] = try await appends[index].run(pool)
        }
        return answers
    }

    private static func answer(_ position: String?, _ head: String?, _ refusal: String?) -> Answer {
        Answer(position: position.flatMap { Int64($0) }, head: head.flatMap { Int64($0) }, refusal: refusal)
    }

    private func run(_ pool: PostgresPool) async throws -> Answer {
        try await pool.use { [self] in try run($0) }
    }

    func run(_ connection: PostgresConnection) throws -> Answer {
        let rows = try connection.run(
            """
            SELECT at_position, at_head, refusal
            FROM ashlar_append_entry($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .integer(log), .integer(head), .text(site.uuidString), .integer(count), .bytes(content),
                snapshot.map { .text($0.uuidString) } ?? .null, id.map { .text($0.uuidString) } ?? .null,
                previous.map { .text($0.uuidString) } ?? .null,
            ])
        guard let row = rows.first, row.count == 3 else {
            throw SyncLogError.malformed(reason: "an append gave no row")
        }
        return Self.answer(row[0], row[1], row[2])
    }
}
