@_spi(Hub) import AshlarSync
import Foundation

/// A token as the database has it: only its hash is stored.
public struct PostgresToken: Sendable, Hashable {
    /// The first digits of its hash.
    public var name: String
    /// The log that it is for.
    public var log: String
    /// The access that it allows: `read`, `write` or `administer`.
    public var access: String
    /// The name of its holder, for people.
    public var label: String
    /// The expiration date as the database writes it; nil for none.
    public var expires: String?
}

/// The rights of a token.
public struct PostgresAccess: Sendable, Hashable {
    /// The access that it allows: `read`, `write` or `administer`.
    public var access: String
    /// The holder of the sites that were first used with the token, or with one that it renews.
    public var holder: String
}

extension PostgresDatabase {
    private static func hash(_ token: String) -> String {
        ContentHash.hexadecimal(of: token.utf8)
    }

    /// Makes a token. It is returned only once: the database keeps its hash.
    ///
    /// - Parameters:
    ///   - days: The number of days for which it is valid; nil for ever.
    ///   - renewed: The first digits of the hash of a token of the same log, whose sites it may use; nil for none.
    /// - Throws: ``SyncLogError/missing(_:)`` if there is no token to renew.
    public func makeToken(
        log: String, access: String, label: String, days: Int?, renewing renewed: String? = nil
    ) async throws -> String {
        // Swift's own generator is the system's, which is made for secrets.
        let token = (0..<32).map { _ in String(format: "%02x", UInt8.random(in: .min ... .max)) }.joined()
        let holder = try await holder(ofToken: renewed, log: log)
        _ = try await use {
            try $0.run(
                """
                INSERT INTO ashlar_token (hash, log, access, label, expires, holder)
                VALUES ($1, $2, $3, $4, now() + $5::bigint * interval '1 day', $6)
                """,
                [
                    .text(Self.hash(token)), .text(log), .text(access), .text(label),
                    days.map { .integer(Int64($0)) } ?? .null, holder.map { .text($0) } ?? .null,
                ])
        }
        return token
    }

    private func holder(ofToken name: String?, log: String) async throws -> String? {
        guard let name else { return nil }
        let values: [PostgresValue] = [.text(name), .text(log)]
        let rows =
            name.utf8.count < 12
            ? []
            : try await use {
                try $0.run(
                    "SELECT coalesce(holder, hash) FROM ashlar_token WHERE starts_with(hash, $1) AND log = $2", values)
            }
        guard rows.count == 1, let holder = rows[0][0] else { throw SyncLogError.missing("the token \(name)") }
        return holder
    }

    /// Returns the access of a token to a log; nil if the token is unknown or has expired.
    ///
    /// - Throws: ``SyncLogError/unreachable(reason:)`` if the database does not answer.
    public func access(ofToken token: String, toLog log: String) async throws -> PostgresAccess? {
        try await accesses.ask(PostgresTokenUse(hash: Self.hash(token), log: log))
    }

    /// Returns all tokens.
    public func tokens() async throws -> [PostgresToken] {
        let rows = try await use {
            try $0.run("SELECT left(hash, 12), log, access, label, expires FROM ashlar_token ORDER BY log, label, hash")
        }
        return rows.map {
            PostgresToken(
                name: $0[0] ?? "", log: $0[1] ?? "", access: $0[2] ?? "", label: $0[3] ?? "", expires: $0[4])
        }
    }

    /// Revokes a token.
    ///
    /// - Parameter name: The first digits of its hash, at least twelve.
    /// - Returns: Whether there was such a token.
    public func revokeToken(_ name: String) async throws -> Bool {
        guard name.utf8.count >= 12 else { return false }
        let rows = try await use {
            try $0.run("DELETE FROM ashlar_token WHERE starts_with(hash, $1) RETURNING hash", [.text(name)])
        }
        return !rows.isEmpty
    }
}

/// The use of a token for a log.
struct PostgresTokenUse: Sendable {
    var hash: String
    var log: String

    /// Returns the access of each use; nil for a token that is not known or has expired.
    static func accesses(_ uses: [PostgresTokenUse], _ pool: PostgresPool) async throws -> [PostgresAccess?] {
        let rows = try await pool.use {
            try $0.run(
                """
                SELECT t.access, coalesce(t.holder, t.hash) FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u(hash, log, number)
                LEFT JOIN ashlar_token t ON t.hash = u.hash AND t.log = u.log AND (t.expires IS NULL OR t.expires > now())
                ORDER BY u.number
                """, [.texts(uses.map(\.hash)), .texts(uses.map(\.log))])
        }
        return rows.map { row in
            guard row.count == 2, let access = row[0], let holder = row[1] else { return nil }
            return PostgresAccess(access: access, holder: holder)
        }
    }
}
