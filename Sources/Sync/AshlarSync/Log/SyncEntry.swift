public import Foundation

/// An entry of a log: all changes of a site since its last entry.
public struct SyncEntry: Sendable, Hashable, Codable {
    /// The kind of an entry.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// Changed rows of objects and pairs.
        case changes
        /// A newer version of the model, with the ``SyncEntry/snapshot`` that it begins with.
        case modelVersion
    }

    /// The kind of the entry.
    public var kind: Kind
    /// The store that made the changes.
    public var site: UUID
    /// The number of the entry among those of its site, from 1. Together with the site, it identifies the entry, unless
    /// the site was put back to an older state; see ``id``.
    public var count: Int64
    /// The hash of the rows' version of the model.
    public var modelHash: String
    /// The author of the changes, if all have the same.
    public var author: String?
    /// The time of the changes, by the site's clock. It is for information only.
    public var date: Date
    /// The snapshot that applies from this entry on; only for ``Kind/modelVersion``.
    public var snapshot: UUID?
    /// The changes in the format of ``StoreSync``. A log does not read them, so they may be encrypted.
    public var body: Data
    /// The identity of the entry's content, made at random with it; nil in entries of earlier versions of Ashlar.
    ///
    /// A site that was put back to an older state gives a ``count`` twice. Its second entry has another identity.
    public var id: UUID?
    /// The identity of the entry before it; nil if the site does not have that entry.
    ///
    /// A log that was put back to an older state has another entry there.
    public var previous: UUID?
    /// The identities of the entries that the log lost and whose changes the entry has; see ``StoreSync/rejoin()``.
    public var rejoined: [UUID]?
    /// The hashes of the large values that the changes name.
    ///
    /// A log appends an entry only if it has all of them, so that no store waits for a missing value. Entries of
    /// earlier versions of Ashlar have nil, and hubs refuse them.
    public var largeValues: [String]?

    /// Creates an entry.
    public init(
        kind: Kind, site: UUID, count: Int64, modelHash: String, author: String? = nil, date: Date,
        snapshot: UUID? = nil, body: Data, largeValues: [String]? = [], id: UUID? = UUID(), previous: UUID? = nil
    ) {
        self.kind = kind
        self.site = site
        self.count = count
        self.modelHash = modelHash
        self.author = author
        self.date = date
        self.snapshot = snapshot
        self.body = body
        self.id = id
        self.previous = previous
        self.largeValues = largeValues
    }
}

extension SyncEntry {
    /// Whether the log continues with another version of the model from here. An entry without a snapshot is not a
    /// step.
    var isStep: Bool { kind == .modelVersion && snapshot != nil }
}

/// An entry with its position in the log.
public struct LoggedSyncEntry: Sendable, Hashable, Codable {
    /// The number of the entry in the log, from 1, without gaps.
    public var position: Int64
    /// The entry.
    public var entry: SyncEntry

    /// Creates an entry with its position.
    public init(position: Int64, entry: SyncEntry) {
        self.position = position
        self.entry = entry
    }
}

/// A description of a store that contains exactly the entries up to a position.
public struct SyncSnapshot: Sendable, Hashable, Codable, Identifiable {
    /// The snapshot's identifier.
    public var id: UUID
    /// The position of its last entry.
    public var position: Int64
    /// The hash of its version of the model.
    public var modelHash: String
    /// The SHA-256 of its bytes, as 64 hexadecimal digits.
    public var hash: String
    /// Its size in bytes.
    public var byteCount: Int64
    /// Whether it takes effect only with an entry that names it.
    public var isProposed: Bool
    /// The ``SyncEntry/id`` of its last entry, as far as it is known.
    public var entry: UUID?
    /// A hash of its rows that all stores which have read the same entries agree on, as 64 hexadecimal digits.
    ///
    /// A log refuses a second snapshot of a position with other rows. It is nil in snapshots of earlier versions of
    /// Ashlar.
    public var rows: String?

    /// Creates the description of a snapshot.
    public init(
        id: UUID, position: Int64, modelHash: String, hash: String, byteCount: Int64, isProposed: Bool = false,
        entry: UUID? = nil, rows: String? = nil
    ) {
        self.id = id
        self.position = position
        self.modelHash = modelHash
        self.hash = hash
        self.byteCount = byteCount
        self.isProposed = isProposed
        self.entry = entry
        self.rows = rows
    }
}

/// The place of a site in a log. It shows whether the store or the log was put back to an older state.
public struct SyncStanding: Sendable, Hashable, Codable {
    /// The position of the newest entry, or 0 if there is none.
    public var head: Int64
    /// The ``SyncEntry/id`` of the entry at the requested position; nil if there is none, or its identity is not known.
    public var entry: UUID?
    /// The greatest ``SyncEntry/count`` of the site's entries, or 0 if it has none.
    public var count: Int64

    /// Creates a standing.
    public init(head: Int64, entry: UUID?, count: Int64) {
        self.head = head
        self.entry = entry
        self.count = count
    }
}

@_spi(Hub) extension SyncSnapshot {
    /// Refuses a snapshot whose rows differ from those of the log's snapshot of the same position.
    ///
    /// - Parameter known: The snapshots of the log, without those that wait for their entry.
    /// - Throws: ``SyncLogError/refused(reason:)``.
    public func requireAgreement(with known: [SyncSnapshot]) throws {
        guard !isProposed, let rows else { return }
        let other = known.first {
            $0.position == position && $0.modelHash == modelHash && $0.rows != nil && $0.rows != rows
        }
        guard let other else { return }
        throw SyncLogError.refused(
            reason:
                "the snapshot \(other.id) of the position \(position) has other rows. One of the two stores is damaged")
    }

    /// Refuses a snapshot of entries that a log does not have yet.
    ///
    /// - Parameter head: The position of the log's newest entry.
    /// - Throws: ``SyncLogError/refused(reason:)``.
    public func requirePosition(head: Int64) throws {
        // The one of a step has the step's own position.
        guard position >= 0, position <= head + (isProposed ? 1 : 0) else {
            throw SyncLogError.refused(
                reason: "a snapshot cannot be at the position \(position) where the newest entry is \(head)")
        }
    }
}
