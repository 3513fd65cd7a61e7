@_spi(Hub) import AshlarSync
import Foundation

/// A token as the database knows it: by its hash alone.
public struct PostgresToken: Sendable, Hashable {
    /// The first digits of its hash.
    public var name: String
    /// The log that it is for.
    public var log: String
    /// What it allows: `read`, `write` or `administer`.
    public var access: String
    /// Whose it is, for a person.
    public var label: String
    /// When it ends to be valid, as the database writes it; nil for never.
    public var expires: String?
}

extension PostgresDatabase {
    private static func hash(_ token: String) -> String {
        ContentHash.hexadecimal(of: token.utf8)
    }

    /// Makes a token, which is told this once: the database keeps its hash.
    ///
    /// - Parameter days: For how many days it is valid; nil for ever.
    public func makeToken(log: String, access: String, label: String, days: Int?) async throws -> String {
        // Swift's own generator is the system's, which is made for secrets.
        let token = (0..<32).map { _ in String(format: "%02x", UInt8.random(in: .min ... .max)) }.joined()
        _ = try await use {
            try $0.run(
                """
                INSERT INTO ashlar_token (hash, log, access, label, expires)
                VALUES ($1, $2, $3, $4, now() + $5::bigint * interval '1 day')
                """,
                [
                    .text(Self.hash(token)), .text(log), .text(access), .text(label),
                    days.map { .integer(Int64($0)) } ?? .null,
                ])
        }
        return token
    }

    /// What a token allows to do with a log; nil for one that is not known or has expired.
    public func access(ofToken token: String, toLog log: String) async throws -> String? {
        try await accesses.ask(PostgresTokenUse(hash: Self.hash(token), log: log))
    }

    /// The tokens that there are.
    public func tokens() async throws -> [PostgresToken] {
        let rows = try await use {
            try $0.run("SELECT left(hash, 12), log, access, label, expires FROM ashlar_token ORDER BY log, label, hash")
        }
        return rows.map {
            PostgresToken(
                name: $0[0] ?? "", log: $0[1] ?? "", access: $0[2] ?? "", label: $0[3] ?? "", expires: $0[4])
        }
    }

    /// Makes a token invalid, by the first digits of its hash, of which there have to be twelve. False for none.
    public func revokeToken(_ name: String) async throws -> Bool {
        guard name.utf8.count >= 12 else { return false }
        let rows = try await use {
            try $0.run("DELETE FROM ashlar_token WHERE starts_with(hash, $1) RETURNING hash", [.text(name)])
        }
        return !rows.isEmpty
    }
}

/// Somebody who shows a token for a log.
struct PostgresTokenUse: Sendable {
    var hash: String
    var log: String

    /// What each is allowed; nil for a token that is not known or has expired.
    static func accesses(_ uses: [PostgresTokenUse], _ pool: PostgresPool) async throws -> [String?] {
        let rows = try await pool.use {
            try $0.run(
                """
                SELECT t.access FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u(hash, log, number)
                LEFT JOIN ashlar_token t ON t.hash = u.hash AND t.log = u.log AND (t.expires IS NULL OR t.expires > now())
                ORDER BY u.number
                """, [.texts(uses.map(\.hash)), .texts(uses.map(\.log))])
        }
        return rows.map { $0.first ?? nil }
    }
}
