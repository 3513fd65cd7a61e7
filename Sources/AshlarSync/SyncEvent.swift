import Ashlar
public import Foundation

/// A change that could not be kept as it was saved, because it conflicted with changes of others.
///
/// No change is lost silently: each change that was saved here is in the log, or there is an event. Events are stored
/// in the same transaction as the change, until ``StoreSync/removeEvents(through:)``.
///
///     for event in try await sync.keptEvents() { print(event.kind, event.object as Any, event.reason) }
public struct SyncEvent: Sendable, Hashable, Codable {
    /// The kind of an event.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// Others changed the same properties, and the model's rule kept their values or combined both.
        case overruled
        /// Others deleted the object, so its change was dropped.
        case objectGone
        /// The object has the unique values of another and was merged with it; see ``SyncEvent/otherObject``.
        case merged
        /// A change was dropped because it violates a constraint, for example with the unique values of another object.
        case constraint
        /// The object was not deleted, because objects that others added deny it.
        case deletionDenied
        /// The object referred to a deleted one. The reference became nil, or the object was deleted if the reference
        /// is required.
        case referenceGone
        /// An entry of the log does not fit the entries before it, and was ignored by all stores.
        case entryRejected
    }

    /// The number of the event in this store, from 1.
    public internal(set) var number: Int64 = 0
    /// The kind of the event.
    public var kind: Kind
    /// The time of the event, by this machine's clock.
    public var date: Date
    /// The name of the object's entity; nil if the event does not concern an object.
    public var entityName: String?
    /// The URI of the object's identifier.
    public var object: URL?
    /// The URI of the object that it was merged with, or that replaced it.
    public var otherObject: URL?
    /// The values of the dropped change, by columns.
    public var wanted: [String: String] = [:]
    /// The present values in these columns.
    public var kept: [String: String] = [:]
    /// A description for people of the operation during which the event occurred.
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
