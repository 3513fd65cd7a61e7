public import AshlarSync
import Foundation

/// A test suite that checks whether your own log meets the requirements of `SyncLog`.
///
///     @Test func log() async throws {
///         let problems = try await SyncLogConformance().problems { name in try await openLog(name) }
///         #expect(problems == [])
///     }
///
/// It creates several logs and uses each through two accesses at once, as two programs do. It takes a few seconds at
/// most if the log answers immediately. The suite does not remove its logs.
public struct SyncLogConformance: Sendable {
    /// A violation of the requirements of a log.
    public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// The check that failed.
        public var check: String
        /// The result that violates the requirements.
        public var reason: String

        public var description: String { "\(check): \(reason)" }
    }

    /// The number of random appends in each of three logs. It defaults to 60.
    public var randomAppendCount = 60
    /// The seed of the random data; the same seed gives the same data.
    public var seed: UInt64 = 1
    /// The size of the suite's snapshots in bytes. It defaults to 3,000,000.
    public var snapshotByteCount = 3_000_000

    /// Creates a suite with the default settings.
    public init() {}

    /// Returns the violations of a log, or an empty array if it meets all requirements.
    ///
    /// - Parameter open: Returns a new access to the log of a name, as another program would have. The name consists of
    ///   letters, digits and hyphens. The log is new at the first call with a name. The access needs all rights.
    /// - Throws: The closure's error. Errors of the log are problems.
    public func problems(_ open: (String) async throws -> any SyncLog) async throws -> [Problem] {
        var problems: [Problem] = []
        for (name, check) in checks {
            let log = "conformance-\(UUID().uuidString)"
            let pair = TestedLog(name: name, first: try await open(log), second: try await open(log))
            do {
                try await check(pair)
            } catch let problem as Problem {
                problems.append(problem)
            } catch {
                problems.append(Problem(check: name, reason: "it threw \(error)"))
            }
        }
        return problems
    }

    private var checks: [(String, (TestedLog) async throws -> Void)] {
        [
            ("a new log is empty", checkEmptiness), ("entries are as they were appended", checkContents),
            ("one of several appends after one head succeeds", checkContention),
            ("the same entry again is not appended again", checkRepetition),
            ("another entry of the same site and count is refused", checkCounts),
            ("a log that was put back is noticed", checkPrevious),
            ("an append after a position that does not exist yet is refused", checkPositions),
            ("a wait ends when there is an entry", checkWaiting), ("a wait that is cancelled ends", checkCancellation),
            ("each number is given once", checkNumbers), ("the first snapshot begins the log", checkBeginning),
            ("one of two that begin the log succeeds", checkBeginners),
            ("snapshots are kept as they are", checkSnapshots),
            ("a proposed snapshot counts with its entry", checkProposals), ("old entries go", checkCompaction),
            ("large values are kept", checkValues),
            ("appends at random, the first", { try await checkAtRandom($0, seed) }),
            ("appends at random, the second", { try await checkAtRandom($0, seed &+ 1) }),
            ("appends at random, the third", { try await checkAtRandom($0, seed &+ 2) }),
        ]
    }
}

/// Two accesses to one log.
struct TestedLog {
    /// The name of the check.
    var name: String
    var first: any SyncLog
    var second: any SyncLog

    func require(_ isMet: Bool, _ reason: @autoclosure () -> String) throws {
        if !isMet { throw SyncLogConformance.Problem(check: name, reason: reason()) }
    }

    /// Requires that a call is refused.
    func requireRefusal(
        _ what: String, _ isRight: (SyncLogError) -> Bool = { !$0.isTransient }, _ body: () async throws -> Void
    ) async throws {
        do {
            try await body()
        } catch let error as SyncLogError {
            return try require(isRight(error), "\(what) was refused with \(error)")
        }
        try require(false, "\(what) was not refused")
    }

    /// Requires that a call is refused with an error.
    func requireRefusal(_ what: String, with wanted: SyncLogError, _ body: () async throws -> Void) async throws {
        func isWanted(_ error: SyncLogError) -> Bool { error == wanted }
        try await requireRefusal(what, isWanted, body)
    }

    /// Appends an entry, which must succeed.
    func append(_ entry: SyncEntry, after head: Int64, by log: any SyncLog) async throws {
        let result = try await log.append(entry, after: head)
        try require(
            result == .appended(position: head + 1), "an append after the newest entry, \(head), gave \(result)")
    }

    /// Appends an entry after a position that is not the newest; the log must refuse it.
    ///
    /// - Parameter known: All entries of the log.
    func appendLate(
        _ entry: SyncEntry, after position: Int64, known: [LoggedSyncEntry], by log: any SyncLog
    ) async throws {
        let result = try await log.append(entry, after: position)
        guard case .moved(let head, let entries) = result else {
            return try require(false, "an append after \(position), where \(known.count) is the newest, gave \(result)")
        }
        try require(head == Int64(known.count), "the head is \(known.count), and the answer says \(head)")
        let lacking = known.filter { $0.position > position }
        try require(
            entries == Array(lacking.prefix(entries.count)),
            "after \(position) came the entries \(entries.map(\.position)), or others than were appended")
    }
}

extension SyncEntry {
    /// An entry of the suite.
    static func made(
        _ site: UUID, _ count: Int64, _ body: Data = Data(), snapshot: UUID? = nil, author: String? = nil,
        largeValues: [String] = []
    ) -> SyncEntry {
        SyncEntry(
            kind: snapshot == nil ? .changes : .modelVersion, site: site, count: count, modelHash: "hash \(count)",
            author: author, date: Date(timeIntervalSinceReferenceDate: Double(count) * 1000.25), snapshot: snapshot,
            body: body, largeValues: largeValues, id: id(site, count))
    }

    /// An identity that the site's entry of a count always has.
    private static func id(_ site: UUID, _ count: Int64) -> UUID {
        var bytes = site.uuid
        withUnsafeMutableBytes(of: &bytes) { bytes in
            withUnsafeBytes(of: count) { for (index, byte) in $0.enumerated() { bytes[index] ^= byte } }
        }
        return UUID(uuid: bytes)
    }
}
