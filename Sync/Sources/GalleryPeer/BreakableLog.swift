import AshlarSync
import Foundation
import Synchronization

/// A log in which one chosen call fails: before the request, or after the answer, which is then lost.
final class BreakableLog: SyncLog {
    struct Lost: Error {}

    enum Action: String {
        /// The call fails.
        case lose
        /// The program is killed.
        case die
        /// The program that started this one is asked, and may do anything meanwhile.
        case ask
    }

    private struct Point {
        var count: Int
        var isBefore: Bool
        var action: Action
    }

    private let log: any SyncLog
    private let point = Mutex<Point?>(nil)

    init(_ log: any SyncLog) { self.log = log }

    func breakPoint(at count: Int, isBefore: Bool, _ action: Action) {
        point.withLock { $0 = Point(count: count, isBefore: isBefore, action: action) }
    }

    static func die() { kill(getpid(), SIGKILL) }

    private func call<Result>(_ body: () async throws -> Result) async throws -> Result {
        let found = point.withLock { point -> Point? in
            point?.count -= 1
            guard let found = point, found.count <= 0 else { return nil }
            point = nil
            return found
        }
        if let found, found.isBefore { try act(found.action) }
        let result = try await body()
        if let found, !found.isBefore { try act(found.action) }
        return result
    }

    private func act(_ action: Action) throws {
        switch action {
        case .lose: throw Lost()
        case .die: Self.die()
        case .ask:
            GalleryPeer.say("asks")
            _ = readLine()
        }
    }

    func head() async throws -> Int64 { try await call { try await log.head() } }
    func append(_ entry: SyncEntry, after head: Int64) async throws -> SyncAppendResult {
        try await call { try await log.append(entry, after: head) }
    }
    func standing(of site: UUID, at position: Int64) async throws -> SyncStanding {
        try await call { try await log.standing(of: site, at: position) }
    }
    func entries(after position: Int64, limit: Int) async throws -> [LoggedSyncEntry] {
        try await call { try await log.entries(after: position, limit: limit) }
    }
    func waitForEntries(after position: Int64, atMost duration: Duration) async throws -> Int64 {
        try await call { try await log.waitForEntries(after: position, atMost: duration) }
    }
    func leaseIdentifiers(site: UUID, count: Int64) async throws -> ClosedRange<Int64> {
        try await call { try await log.leaseIdentifiers(site: site, count: count) }
    }
    func snapshots() async throws -> [SyncSnapshot] { try await call { try await log.snapshots() } }
    func add(_ snapshot: SyncSnapshot, from file: URL) async throws {
        try await call { try await log.add(snapshot, from: file) }
    }
    func read(_ snapshot: SyncSnapshot, to file: URL) async throws {
        try await call { try await log.read(snapshot, to: file) }
    }
    func compact(through position: Int64) async throws { try await call { try await log.compact(through: position) } }
    func add(_ value: Data, hash: String) async throws { try await call { try await log.add(value, hash: hash) } }
    func value(hash: String) async throws -> Data { try await call { try await log.value(hash: hash) } }
}
