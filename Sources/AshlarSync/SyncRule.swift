public import Ashlar

/// What becomes of a property that was changed here and elsewhere.
///
/// The model says it, in the `userInfo` of an attribute or a relationship, with the key `ashlar.sync`.
public enum SyncRule: String, Sendable, Hashable, Codable, CaseIterable {
    /// The change that comes later in the log counts. So it is where nothing is said.
    case last
    /// The change that comes first in the log counts.
    case first
    /// The greater value counts.
    case max
    /// The smaller value counts.
    case min
    /// What each added to the value before counts: for counters.
    case sum
}

/// A property that was changed here and elsewhere, with all that is known of it.
public struct SyncConflict: Sendable, Hashable {
    /// The object.
    public var object: PersistentIdentifier
    /// The name of the property.
    public var property: String
    /// What it was before both changes.
    public var base: SQLiteValue
    /// What it was changed to here.
    public var mine: SQLiteValue
    /// What it was changed to elsewhere.
    public var theirs: SQLiteValue
}

/// A composite that was changed here and elsewhere, with all that is known of it.
public struct SyncCompositeConflict: Sendable, Hashable {
    /// The values of elements by the key paths that lead to them: `street`, and `position.latitude` for one of a composite within. A
    /// composite that is not there has no element.
    ///
    /// An element that an answer does not name is emptied, so that one which the model requires has to be named.
    public typealias Elements = [String: SQLiteValue]

    /// The object.
    public var object: PersistentIdentifier
    /// The name of the attribute.
    public var property: String
    /// What it was before both changes.
    public var base: Elements
    /// What it was changed to here.
    public var mine: Elements
    /// What it was changed to elsewhere.
    public var theirs: Elements
}
