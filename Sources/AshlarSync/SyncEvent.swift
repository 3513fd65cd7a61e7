import Ashlar
public import Foundation

/// Something that could not be kept as it was saved, or became something else, when a store's own changes met those of
/// others.
///
/// Nothing is lost in silence: what was saved here is in the log, or there is an event of it. Events are kept in the store, in
/// the transaction in which what they tell of happened, until ``StoreSync/removeEvents(through:)``.
public struct SyncEvent: Sendable, Hashable, Codable {
    /// What happened.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// Somebody else changed the same properties, and the model's rule kept their values, or joined both.
        case overruled
        /// Somebody else deleted the object, so that the change of it has no place.
        case objectGone
        /// The object has the unique values of another, and both are one now: ``SyncEvent/otherObject``.
        case merged
        /// A change would have given the object values that must be unique and are another's, or that a constraint refuses.
        case constraint
        /// The object was not deleted, as others refer to it by now that keep it.
        case deletionDenied
        /// The object refers to one that is gone: the reference was emptied, or where there must be one, the object deleted.
        case referenceGone
        /// An entry of the log does not fit what came before it, wherever it is read, and was left out by all.
        case entryRejected
    }

    /// The number of the event in this store, from 1.
    public internal(set) var number: Int64 = 0
    /// What happened.
    public var kind: Kind
    /// When, by this machine's clock.
    public var date: Date
    /// The name of the object's entity; nil where it is about no object.
    public var entityName: String?
    /// The object, as its identifier's URI.
    public var object: URL?
    /// The object that it is one with, or has become.
    public var otherObject: URL?
    /// What was wanted, by columns.
    public var wanted: [String: String] = [:]
    /// What is there now in these columns.
    public var kept: [String: String] = [:]
    /// What was being done when it happened, for a person.
    public var reason: String

    init(
        kind: Kind, entityName: String? = nil, object: URL? = nil, otherObject: URL? = nil,
        wanted: [String: String] = [:],
        kept: [String: String] = [:], reason: String
    ) {
        self.kind = kind
        date = Date()
        self.entityName = entityName
        self.object = object
        self.otherObject = otherObject
        self.wanted = wanted
        self.kept = kept
        self.reason = reason
    }
}

extension SyncEvent: CustomStringConvertible {
    public var description: String {
        let subject = object.map { "\($0): " } ?? ""
        let values = wanted.keys.sorted().map { "\($0) \(wanted[$0] ?? "") -> \(kept[$0] ?? "nothing")" }
        return subject + reason + (values.isEmpty ? "" : " (\(values.joined(separator: ", ")))")
    }
}

extension SQLiteValue {
    /// The value for a person to read.
    var eventText: String {
        switch self {
        case .null: "nothing"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text
        case .blob(let bytes): "\(bytes.count) bytes"
        }
    }
}
