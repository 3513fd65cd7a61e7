public import Foundation

/// A log on which stores agree about the order of their changes.
///
/// It is a list of entries that only grows at its end, with snapshots of its state, and numbers that are each given
/// once. ``StoreLog`` keeps one in an SQLite file, and ``HTTPLog`` connects to a hub.
///
///     let log = try StoreLog(at: url)
///     let sync = try StoreSync(container, with: log)
///     try await sync.run()
///
/// To write your own, fulfil the requirements of each method. Above all, only one of two appends after the same head
/// may succeed. A log need not understand entries. `SyncLogConformance` tests a log.
///
/// A method that fails throws a ``SyncLogError``. Any other error counts as unreachable, and is retried.
public protocol SyncLog: Sendable {
    /// Returns the position of the newest entry, or 0 if there is none.
    ///
    /// - Throws: ``SyncLogError`` if the log cannot answer.
    func head() async throws -> Int64

    /// Appends an entry after the newest one.
    ///
    /// An entry is identified by its site and the site's count. Appending it again must return its position, whatever
    /// the head is, even if the entry is no longer kept. So a caller that got no answer can retry. If the known entry
    /// has another ``SyncEntry/id``, the site was put back to an older state, and the call must throw
    /// ``SyncLogError/countTaken(_:)``. If the entry names another ``SyncEntry/previous`` than the newest entry's
    /// identity, the log was put back, and the call must throw ``SyncLogError/otherEntry(position:)``. A nil identity
    /// equals any other.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - head: The position of the newest entry that the caller has. If the log's differs, nothing is appended.
    /// - Returns: The position of the entry, or the present head.
    /// - Throws: ``SyncLogError/missing(_:)`` if the log lacks one of the entry's ``SyncEntry/largeValues``, or another
    ///   ``SyncLogError`` if it cannot append.
    func append(_ entry: SyncEntry, after head: Int64) async throws -> SyncAppendResult

    /// Returns the place of a site in the log.
    ///
    /// - Parameters:
    ///   - site: The site.
    ///   - position: The position of the last entry that the caller has.
    /// - Throws: ``SyncLogError`` if the log cannot answer.
    func standing(of site: UUID, at position: Int64) async throws -> SyncStanding

    /// Returns the entries after a position, in their order.
    ///
    /// - Parameters:
    ///   - position: The position of the last entry that the caller has; 0 for none.
    ///   - limit: The maximum number of entries. Fewer may be returned, but at least one if there are any.
    /// - Throws: ``SyncLogError/compacted(oldest:)`` if entries after the position are no longer kept.
    func entries(after position: Int64, limit: Int) async throws -> [LoggedSyncEntry]

    /// Waits until there is an entry after a position, and returns the position of the newest.
    ///
    /// - Parameters:
    ///   - position: The position of the last entry that the caller has.
    ///   - duration: The longest time to wait. After it, the present position is returned.
    func waitForEntries(after position: Int64, atMost duration: Duration) async throws -> Int64

    /// Gives a site numbers for new objects. No number may be given twice.
    ///
    /// The numbers are from ``SyncIdentifiers/firstLeased`` on and below ``SyncIdentifiers/firstProvisional``.
    ///
    /// - Parameters:
    ///   - site: The site.
    ///   - count: The number of consecutive numbers, at most ``SyncIdentifiers/greatestLeaseCount``.
    func leaseIdentifiers(site: UUID, count: Int64) async throws -> ClosedRange<Int64>

    /// Returns the kept snapshots, the oldest first, without those that wait for their entry.
    func snapshots() async throws -> [SyncSnapshot]

    /// Adds a snapshot. If one with its ``SyncSnapshot/id`` exists, nothing is done.
    ///
    /// The first snapshot begins the log: at position 0, while the log has neither an entry nor a snapshot. A snapshot
    /// with ``SyncSnapshot/isProposed`` takes effect only with an entry that names it; see ``SyncEntry/snapshot``. A
    /// snapshot after the newest entry is refused; a proposed one may be one position after it.
    ///
    /// - Parameters:
    ///   - snapshot: The description of the snapshot.
    ///   - file: The file with its bytes.
    /// - Throws: ``SyncLogError/alreadyBegun`` for a second snapshot at position 0, or another ``SyncLogError``.
    func add(_ snapshot: SyncSnapshot, from file: URL) async throws

    /// Writes the bytes of a snapshot to a new file.
    ///
    /// - Parameters:
    ///   - snapshot: The snapshot.
    ///   - file: The file to create.
    /// - Throws: ``SyncLogError/missing(_:)`` if the snapshot is not kept.
    func read(_ snapshot: SyncSnapshot, to file: URL) async throws

    /// Removes entries up to a position, and snapshots older than the newest one up to it.
    ///
    /// It does nothing if there is no such snapshot, because the removed entries could not be restored.
    ///
    /// - Parameter position: The position of the last entry to remove.
    func compact(through position: Int64) async throws

    /// Adds a large value, which entries name by its hash.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - hash: Its SHA-256 as 64 hexadecimal digits.
    func add(_ value: Data, hash: String) async throws

    /// Returns a large value.
    ///
    /// - Parameter hash: Its SHA-256 as 64 hexadecimal digits.
    /// - Throws: ``SyncLogError/missing(_:)`` if there is no such value.
    func value(hash: String) async throws -> Data
}

/// The result of appending an entry.
public enum SyncAppendResult: Sendable, Hashable {
    /// The entry is in the log at a position.
    case appended(position: Int64)
    /// Others appended meanwhile, so the newest entry has another position.
    ///
    /// A log may include the entries after the caller's head, or the first of them, to save a request.
    case moved(head: Int64, entries: [LoggedSyncEntry] = [])
}

extension SyncAppendResult: Codable {
    private struct Appended: Codable { var position: Int64 }

    private struct Moved: Codable {
        var head: Int64
        var entries: [LoggedSyncEntry]?
    }

    private enum CodingKeys: CodingKey { case appended, moved }

    /// Reads the result that ``encode(to:)`` wrote, with or without entries.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let appended = try container.decodeIfPresent(Appended.self, forKey: .appended) {
            self = .appended(position: appended.position)
        } else {
            let moved = try container.decode(Moved.self, forKey: .moved)
            self = .moved(head: moved.head, entries: moved.entries ?? [])
        }
    }

    /// Writes the result under its name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .appended(let position): try container.encode(Appended(position: position), forKey: .appended)
        case .moved(let head, let entries):
            try container.encode(Moved(head: head, entries: entries.isEmpty ? nil : entries), forKey: .moved)
        }
    }
}

@_spi(Hub) extension SyncAppendResult {
    /// The maximum size in bytes of the entries that are returned at once, unless a single entry is larger.
    public static let entryBytes = 16 << 20

    /// Returns the error for a head of a log that has moved, with the entries that the caller lacks.
    ///
    /// - Parameters:
    ///   - position: The head in the caller's view.
    ///   - head: The head.
    public static func outdated(
        after position: Int64, head: Int64, in log: some SyncLog
    ) async throws -> SyncAppendResult {
        // A caller may pass a greater position than the log's, and gets the log's smaller one.
        guard head > position else { return .moved(head: head) }
        do {
            let entries = try await log.entries(after: position, limit: 100)
            return .moved(head: max(head, entries.last?.position ?? head), entries: entries)
        } catch SyncLogError.compacted {
            return .moved(head: head)
        }
    }
}
