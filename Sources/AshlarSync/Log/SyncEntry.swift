public import Foundation

/// What a site appends to a log: all that it changed since its last entry.
public struct SyncEntry: Sendable, Hashable, Codable {
    /// What an entry is about.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// Rows of objects and pairs.
        case changes
        /// A newer version of the model, with the ``SyncEntry/snapshot`` that it begins with.
        case modelVersion
    }

    /// What the entry is about.
    public var kind: Kind
    /// The store that the changes were made in.
    public var site: UUID
    /// The number of the entry among those of its site, from 1. With the site, it says which entry this is.
    public var count: Int64
    /// The hash of the model's version that the rows are of.
    public var modelHash: String
    /// Who made the changes, where one author made all.
    public var author: String?
    /// When the changes were made, by the site's clock. Nothing is decided by it.
    public var date: Date
    /// The snapshot that counts from this entry on; of ``Kind/modelVersion`` alone.
    public var snapshot: UUID?
    /// The changes, as ``StoreSync`` writes them. A log need not understand them, so that they may be encrypted.
    public var body: Data

    /// Makes an entry.
    public init(
        kind: Kind, site: UUID, count: Int64, modelHash: String, author: String? = nil, date: Date,
        snapshot: UUID? = nil, body: Data
    ) {
        self.kind = kind
        self.site = site
        self.count = count
        self.modelHash = modelHash
        self.author = author
        self.date = date
        self.snapshot = snapshot
        self.body = body
    }
}

extension SyncEntry {
    /// Whether the log goes on with another version of the model from here on. One that names no snapshot is no step, whoever says so.
    var isStep: Bool { kind == .modelVersion && snapshot != nil }
}

/// An entry with its place in the log.
public struct LoggedSyncEntry: Sendable, Hashable, Codable {
    /// The number of the entry in the log, from 1, without gaps.
    public var position: Int64
    /// The entry.
    public var entry: SyncEntry

    /// Makes an entry with its place.
    public init(position: Int64, entry: SyncEntry) {
        self.position = position
        self.entry = entry
    }
}

/// A store as it is when all entries up to a position are in it, and nothing else.
public struct SyncSnapshot: Sendable, Hashable, Codable, Identifiable {
    /// The snapshot's own number.
    public var id: UUID
    /// The position of the last entry that is in it.
    public var position: Int64
    /// The hash of the version of the model that it is of.
    public var modelHash: String
    /// The SHA-256 of its bytes, as 64 hexadecimal digits.
    public var hash: String
    /// How many bytes it has.
    public var byteCount: Int64
    /// Whether it waits for an entry that names it.
    public var isProposed: Bool

    /// Makes the description of a snapshot.
    public init(
        id: UUID, position: Int64, modelHash: String, hash: String, byteCount: Int64, isProposed: Bool = false
    ) {
        self.id = id
        self.position = position
        self.modelHash = modelHash
        self.hash = hash
        self.byteCount = byteCount
        self.isProposed = isProposed
    }
}
