import AshlarSQLite

/// A conflict that a save found: a row changed elsewhere, or a unique value that another row has.
///
/// ``SaveError/conflict(_:)`` contains it, and a custom ``MergePolicy`` receives it.
///
///     do {
///         try context.save()
///     } catch SaveError.conflict(let conflicts) {
///         for conflict in conflicts { print(conflict.object, conflict.storeChangedProperties) }
///     }
///
/// The counterparts are Core Data's `NSMergeConflict` and `NSConstraintConflict`.
public struct MergeConflict: Sendable, Hashable {
    /// The kind of a conflict.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable {
        /// The row was changed after the context read it.
        case changed
        /// The row was deleted after the context read it.
        case deleted
        /// Another row has the values of these properties, which must be unique.
        case notUnique([String])
    }

    /// The object whose changes could not be saved.
    public var object: PersistentIdentifier
    /// The name of the object's entity.
    public var entity: String
    /// The kind of the conflict.
    public var kind: Kind
    /// The version of the row that the context read; 0 for an object that was never saved.
    public var oldVersion: Int64
    /// The version of the row in the store; 0 if the row was deleted.
    public var newVersion: Int64
    /// The properties that this context changed.
    public var changedProperties: [String]
    /// The properties that others changed.
    public var storeChangedProperties: [String]
    /// The object's values of the properties that either side changed, as the store would hold them.
    ///
    /// A reference is the number of its row. A part of a composite has its key path as the key. Core Data's counterpart
    /// is `objectSnapshot`.
    public var values: [String: SQLiteValue] = [:]
    /// The store's values of the properties that either side changed; empty if the row was deleted.
    ///
    /// Core Data's counterpart is `persistedSnapshot`.
    public var storedValues: [String: SQLiteValue] = [:]
}

extension MergeConflict: CustomStringConvertible {
    public var description: String {
        switch kind {
        case .changed:
            let there = storeChangedProperties.isEmpty ? "" : " (\(storeChangedProperties.joined(separator: ", ")))"
            return "\(object) was changed in the store\(there) after this context fetched it"
        case .deleted: return "\(object) was deleted in the store after this context fetched it"
        case .notUnique(let properties):
            return
                "another object has the same \(SQLiteValue.shown(properties, properties.map { values[$0] })) as \(object)"
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
