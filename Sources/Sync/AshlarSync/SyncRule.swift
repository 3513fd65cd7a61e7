public import Ashlar

/// The rule that resolves concurrent changes of a property.
///
/// The model sets it with the key `ashlar.sync` in the `userInfo` of an attribute or a relationship.
public enum SyncRule: String, Sendable, Hashable, Codable, CaseIterable {
    /// The change that comes later in the log wins. It is the default.
    case last
    /// The change that comes first in the log wins.
    case first
    /// The greater value wins.
    case max
    /// The smaller value wins.
    case min
    /// The differences of both changes are added, as for counters.
    case sum
}

/// A property that was changed here and elsewhere.
///
/// ``SyncOptions/resolvingConflicts`` receives it.
public struct SyncConflict: Sendable, Hashable {
    /// The object.
    public var object: PersistentIdentifier
    /// The name of the property.
    public var property: String
    /// The value before both changes.
    public var base: SQLiteValue
    /// The value of this store's change.
    public var mine: SQLiteValue
    /// The value of the other change.
    public var theirs: SQLiteValue
}

/// A composite that was changed here and elsewhere.
///
/// ``SyncOptions/resolvingCompositeConflicts`` receives it.
public struct SyncCompositeConflict: Sendable, Hashable {
    /// The values of a composite's parts by their key paths, such as `street` and `position.latitude`.
    ///
    /// A composite that is nil has no parts. A part that a result omits becomes nil, so required parts must be
    /// included.
    public typealias Elements = [String: SQLiteValue]

    /// The object.
    public var object: PersistentIdentifier
    /// The name of the attribute.
    public var property: String
    /// The value before both changes.
    public var base: Elements
    /// The value of this store's change.
    public var mine: Elements
    /// The value of the other change.
    public var theirs: Elements
}
