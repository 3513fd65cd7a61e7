/// What an object was when it was last fetched or saved, and what of it changed since.
extension PersistentModel {
    /// The object as it was last fetched or saved; nil for one that was never saved.
    ///
    ///     if let before = post.committedValues, before.title != post.title { … }
    ///
    /// A copy in no context, of the object's class, with the stored attributes. To-one relationships are identifiers in
    /// the copy's `values`; the relationships themselves lead nowhere, and transient attributes have their defaults.
    /// Core Data's `committedValues(forKeys:)`.
    public var committedValues: Self? {
        switch record.state {
        case .inserted, .detached: return nil
        case .persisted, .deleted, .gone: break
        }
        let copy = type(of: self).object(of: original ?? snapshot())
        copy.record.rowID = record.rowID
        copy.record.storeNumber = identifier.store
        return copy as? Self
    }

    /// The names of the stored properties, as the model has them, that are others than when the object was last fetched
    /// or saved; all of them for an object that was never saved.
    ///
    /// Of a composite it is the parts, such as `home.city`. An attribute or to-one relationship that was set to the value that it had is not among them. A relationship that
    /// is stored elsewhere counts from its first change on until the next save. Core Data's `changedValues()`, without
    /// the values, which the object has.
    public var changedProperties: Set<String> {
        switch record.state {
        case .detached, .gone: return []
        case .inserted: return entity.storedProperties
        case .persisted: if !record.isListed { return [] }
        case .deleted: break
        }
        return changedColumnProperties.union(changedLinkProperties)
    }

    /// Whether a save would write anything of the object: a property that was set to an equal value is no change. Core
    /// Data's property of the same name.
    public var hasPersistentChangedValues: Bool { !changedProperties.isEmpty }
}

extension ManagedObject {
    private final var changedColumns: [Int] {
        guard let original else { return [] }
        let mask = changes(since: original, in: changes)
        return entity.ownColumns.filter { mask & Self.bit(of: $0) != 0 }
    }

    fileprivate final var changedColumnProperties: Set<String> {
        let columns = changedColumns
        guard let original, let last = columns.last, last >= 63 else {
            return Set(columns.map { entity.columns[$0].property })
        }
        // The last bit stands for several columns, which only their values tell apart.
        let before = type(of: self).object(of: original)
        let differing = columns.filter { column in
            guard column >= 63, let context = record.context else { return true }
            return (try? context.storedValue(column, of: self) != context.storedValue(column, of: before)) ?? true
        }
        return Set(differing.map { entity.columns[$0].property })
    }

    fileprivate final var changedLinkProperties: Set<String> {
        guard let context = record.context else { return [] }
        let changed = entity.relationships.numbers.filter { number in
            let key = LinkKey(root: entity.number.root, rowID: record.rowID, relationship: number)
            return context.pending.links[key]?.isEmpty == false || context.pending.reordered[key] != nil
        }
        return Set(changed.map { entity.relationships[$0].name })
    }
}

extension EntityDescription {
    /// The names of the properties that the entity's objects have in the store, derived ones excepted.
    fileprivate var storedProperties: Set<String> {
        Set(ownColumns.map { columns[$0].property }).union(relationships.map(\.name))
    }
}
