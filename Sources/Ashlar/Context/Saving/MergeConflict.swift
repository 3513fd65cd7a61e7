/// An object that this context and someone else changed since it was read, or that has a value which must be unique
/// and is another's. Core Data's `NSMergeConflict` and `NSConstraintConflict`.
public struct MergeConflict: Sendable, Hashable {
    /// What collides.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable {
        /// The row was changed since the context read it.
        case changed
        /// The row was deleted since the context read it.
        case deleted
        /// Another row has the values of these properties, which must be unique.
        case notUnique([String])
    }

    /// The object with changes that could not be saved.
    public var object: PersistentIdentifier
    /// The name of its entity.
    public var entity: String
    /// What is in conflict.
    public var kind: Kind
    /// The version of the row that the context read; 0 for an object that was never saved.
    public var oldVersion: Int64
    /// The version of the row in the store; 0 when it is deleted.
    public var newVersion: Int64
    /// The properties that this context changed.
    public var changedProperties: [String]
    /// The properties that someone else changed.
    public var storeChangedProperties: [String]
}

extension MergeConflict: CustomStringConvertible {
    public var description: String {
        switch kind {
        case .changed:
            let there = storeChangedProperties.isEmpty ? "" : " (\(storeChangedProperties.joined(separator: ", ")))"
            return "someone else changed \(object)\(there) since this context read it"
        case .deleted: return "someone else deleted \(object) since this context read it"
        case .notUnique(let properties):
            return "another object has the same \(properties.joined(separator: " and ")) as \(object)"
        }
    }
}
