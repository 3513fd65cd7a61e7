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
        /// The object was not deleted with the one that it belonged to, because others moved it to another one.
        case movedAway
        /// The object referred to a deleted one. The reference became nil, or the object was deleted if the reference
        /// is required.
        case referenceGone
        /// The object was deleted, because it belonged to an object that was deleted or replaced.
        case dropped
        /// Others deleted the object, and it came back, because changes of this store need it: a relationship denies
        /// the deletion, the object was moved to another owner, or the model says `restore`.
        case restored
        /// The object was not moved within its tree, because others moved its new parent, so that both would be within
        /// each other.
        case cycle
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
    /// The object's name or title, or another text that is unique; nil if it has none.
    public var objectName: String?
    /// The URI of the object's identifier.
    public var object: URL?
    /// The URI of the object that it was merged with, or that replaced it.
    public var otherObject: URL?
    /// The values of the dropped change as texts, by properties: key paths for composites, and the other object's name
    /// for relationships.
    public var wanted: [String: String] = [:]
    /// The present values of these properties; empty if the object does not exist.
    public var kept: [String: String] = [:]
    /// A description of the event for people.
    public var reason: String
    /// Whether a person should look at the event, because something differs from the saved state.
    ///
    /// It is false if changes were combined as the model says, such as both gains of a counter.
    public internal(set) var needsAttention: Bool {
        get { !(isIntended ?? false) }
        set { isIntended = !newValue }
    }
    /// Whether ``StoreSync/restore(_:)`` can make the object again, because it was dropped with all its values.
    public var canRestore: Bool { dropped != nil }

    /// Nil in events of earlier versions.
    private var isIntended: Bool?
    var dropped: DroppedRow?

    init(kind: Kind, entityName: String? = nil, object: URL? = nil, reason: String) {
        self.kind = kind
        date = Date()
        self.entityName = entityName
        self.object = object
        self.reason = reason
    }
}

extension SyncEvent.Kind {
    /// A description for people.
    var text: String {
        switch self {
        case .overruled: "changed here and elsewhere"
        case .objectGone: "others deleted it, and the change that was made here was dropped"
        case .merged: "it became one with another that has the same unique values"
        case .constraint: "the change was dropped, because it breaks a constraint, such as that values are unique"
        case .deletionDenied: "it was not deleted, because other objects need it"
        case .movedAway: "it was not deleted with its owner, because others moved it to another one"
        case .referenceGone: "it referred to an object that others deleted"
        case .dropped: "it was deleted with the object that it belonged to"
        case .restored: "others deleted it, and it came back, because changes that were made here need it"
        case .cycle: "it was not moved, because others moved objects so that it would be within itself"
        case .entryRejected: "an entry of the log was left out"
        }
    }
}

extension SyncEvent: CustomStringConvertible {
    public var description: String {
        let name = objectName.map { " '\($0)'" } ?? object.map { " \($0.lastPathComponent)" } ?? ""
        let subject = entityName.map { "\($0)\(name): " } ?? ""
        let values = wanted.keys.sorted().map { "\($0): \(wanted[$0] ?? "") -> \(kept[$0] ?? "nothing")" }
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
