public import AshlarSync
public import PostgresLog
import Synchronization

/// Logs and tokens in PostgreSQL.
public final class PostgresBackend: HubBackend {
    private let database: PostgresDatabase
    private let logs = Mutex<[String: PostgresLog]>([:])

    public init(_ database: PostgresDatabase) { self.database = database }

    public func log(named name: String) async throws -> any SyncLog {
        if let known = logs.withLock({ $0[name] }) { return known }
        let log = try await PostgresLog(name, in: database)
        logs.withLock { $0[name] = log }
        return log
    }

    public func access(of token: String, toLog name: String) async throws -> HubAccess? {
        try await database.access(ofToken: token, toLog: name).flatMap(HubAccess.init(rawValue:))
    }

    public func isReachable() async -> Bool { await database.isReachable() }
}
