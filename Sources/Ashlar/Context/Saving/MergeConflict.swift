import AshlarSQLite

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
    /// The object's values of the properties that either side changed, as the store would hold them.
    ///
    /// A reference is the number of its row, an element of a composite goes by its key path. Core Data's `objectSnapshot`.
    public var values: [String: SQLiteValue] = [:]
    /// The store's values of these properties; empty when the row was deleted. Core Data's `persistedSnapshot`.
    public var storedValues: [String: SQLiteValue] = [:]
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

extension ModelContext {
    func conflict(
        _ object: ManagedObject, _ stored: ManagedObject?, _ original: ManagedObject?
    ) throws -> MergeConflict {
        let entity = object.entity
        let isDeleted = object.record.state == .deleted
        let here = isDeleted ? [] : try columns(of: object, changedSince: original)
        let there = try stored.map { try columns(of: $0, changedSince: original) } ?? []
        func names(_ columns: Set<Int>) -> [String] {
            entity.ownColumns.filter(columns.contains).map { entity.columns[$0].property }
        }
        func values(_ source: ManagedObject) throws -> [String: SQLiteValue] {
            var values: [String: SQLiteValue] = [:]
            for column in entity.ownColumns where here.contains(column) || there.contains(column) {
                values[entity.columns[column].property] = try storedValue(column, of: source)
            }
            return values
        }
        return MergeConflict(
            object: object.identifier, entity: entity.name, kind: stored == nil ? .deleted : .changed,
            oldVersion: object.record.version, newVersion: stored?.record.version ?? 0,
            changedProperties: names(here), storeChangedProperties: names(there), values: try values(object),
            storedValues: try stored.map(values) ?? [:])
    }

    func originalCopy(of object: ManagedObject) -> ManagedObject {
        let copy = copy(of: object)
        if let original = object.original { copy.restore(original) }
        return copy
    }
}
