public import Foundation

/// Where stores that follow one another agree on the order of their changes: a list of entries that only grows at its end,
/// snapshots of what the list makes, and numbers of which each is given once.
///
///     let log = try StoreLog(at: url)
///     let sync = try StoreSync(container, with: log)
///     try await sync.run()
///
/// ``StoreLog`` keeps one in an SQLite file, ``HTTPLog`` speaks with a hub. A log of your own has to keep what is said of
/// each function, above all that of two appends after one head only one succeeds. It need not understand entries.
///
/// A function that cannot be carried out throws a ``SyncLogError``; what throws anything else counts as unreachable, and is tried
/// again.
public protocol SyncLog: Sendable {
    /// The position of the newest entry; 0 where there is none.
    func head() async throws -> Int64

    /// Appends an entry after the newest one.
    ///
    /// The same entry again, known by its site and the site's count, is not appended again: the answer is the position
    /// that it has, whatever the head is by now, and also where the entry is not kept any more. So a caller that got no
    /// answer may ask once more.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - head: The position that the caller takes for that of the newest entry. Nothing is appended where it is not.
    func append(_ entry: SyncEntry, after head: Int64) async throws -> SyncAppendResult

    /// The entries that come after a position, in their order; those of the beginning where they are more than a limit.
    ///
    /// - Parameters:
    ///   - position: The position of the last entry that the caller has; 0 for none.
    ///   - limit: The greatest number of entries. Fewer may come, but one at least where there are any.
    /// - Throws: ``SyncLogError/compacted(oldest:)`` where entries after the position are not kept any more.
    func entries(after position: Int64, limit: Int) async throws -> [LoggedSyncEntry]

    /// Waits until there is an entry after a position, and gives the position of the newest. Gives up after a while, with
    /// what it is by then.
    func waitForEntries(after position: Int64, atMost duration: Duration) async throws -> Int64

    /// Gives a site numbers for the objects that it inserts, from ``SyncIdentifiers/firstLeased`` on and below
    /// ``SyncIdentifiers/firstProvisional``. No number is given twice.
    ///
    /// - Parameters:
    ///   - site: The site that asks.
    ///   - count: How many numbers, which follow one another.
    func leaseIdentifiers(site: UUID, count: Int64) async throws -> ClosedRange<Int64>

    /// The snapshots that are kept, the oldest first, without those that wait for their entry.
    func snapshots() async throws -> [SyncSnapshot]

    /// Keeps a snapshot. One of the same ``SyncSnapshot/id`` is kept already: nothing is done then.
    ///
    /// The first snapshot begins the log: of position 0, while the log has no entry and no other snapshot. One whose
    /// ``SyncSnapshot/isProposed`` is set counts only when an entry that names it is appended, see ``SyncEntry/snapshot``.
    ///
    /// - Parameters:
    ///   - snapshot: What is known of it.
    ///   - file: Its bytes.
    /// - Throws: A ``SyncLogError``, `alreadyBegun` for a second snapshot at position 0.
    func add(_ snapshot: SyncSnapshot, from file: URL) async throws

    /// Writes the bytes of a snapshot into a new file.
    ///
    /// - Throws: ``SyncLogError/missing(_:)`` where the snapshot is not kept.
    func read(_ snapshot: SyncSnapshot, to file: URL) async throws

    /// Lets entries up to a position go, and snapshots that are older than the newest one of at most that position. Does
    /// nothing where there is no such snapshot, since what is let go of could not be made again.
    func compact(through position: Int64) async throws

    /// Keeps a large value, which entries name by its hash: SHA-256, as 64 hexadecimal digits.
    func add(_ value: Data, hash: String) async throws

    /// A large value.
    ///
    /// - Throws: ``SyncLogError/missing(_:)`` where there is none of the hash.
    func value(hash: String) async throws -> Data
}

/// What became of an append.
public enum SyncAppendResult: Sendable, Hashable {
    /// The entry is in the log, at a position.
    case appended(position: Int64)
    /// Somebody else appended meanwhile: the newest entry has another position. A log may give what the caller lacks along, which saves
    /// him from asking for it: the entries after his head in their order, or the first of them.
    case moved(head: Int64, entries: [LoggedSyncEntry] = [])
}

extension SyncAppendResult: Codable {
    private struct Appended: Codable { var position: Int64 }

    private struct Moved: Codable {
        var head: Int64
        var entries: [LoggedSyncEntry]?
    }

    private enum CodingKeys: CodingKey { case appended, moved }

    /// Reads what ``encode(to:)`` wrote, also where no entries are given along.
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
    /// How many bytes of entries are given at once, unless one alone has more.
    public static let entryBytes = 16 << 20

    /// That the head of a log has moved, with the entries that the caller lacks.
    ///
    /// - Parameters:
    ///   - position: What the caller took for the head.
    ///   - head: The head.
    public static func outdated(
        after position: Int64, head: Int64, in log: some SyncLog
    ) async throws -> SyncAppendResult {
        // Somebody may say that he has more than there is, and is told that there is less.
        guard head > position else { return .moved(head: head) }
        do {
            let entries = try await log.entries(after: position, limit: 100)
            return .moved(head: max(head, entries.last?.position ?? head), entries: entries)
        } catch SyncLogError.compacted {
            return .moved(head: head)
        }
    }
}
