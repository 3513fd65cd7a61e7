/// The values of an object when it was last fetched or saved, and its changes since.
extension PersistentModel {
    /// The object as it was last fetched or saved, or nil if it was never saved.
    ///
    /// Use it to compare present values with saved ones.
    ///
    ///     if let before = post.committedValues, before.title != post.title { … }
    ///
    /// It is a copy in no context, of the object's class, with the stored attributes. Its `values` contain the
    /// identifiers of to-one relationships. The relationships themselves are empty, and transient attributes have their
    /// defaults. Core Data's counterpart is `committedValues(forKeys:)`.
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

    /// The names of the stored properties whose values differ from those that were last fetched or saved.
    ///
    /// For an object that was never saved, it contains all of them. A composite is represented by its parts, such as
    /// `home.city`.
    ///
    ///     if post.changedProperties.contains("title") { post.modified = .now }
    ///
    /// An attribute or to-one relationship that was set to an equal value is not included. A relationship that is
    /// stored on the other side is included from its first change until the next save. Core Data's counterpart is
    /// `changedValues()`.
    public var changedProperties: Set<String> {
        switch record.state {
        case .detached, .gone: return []
        case .inserted: return entity.storedProperties
        case .persisted: if !record.isListed { return [] }
        case .deleted: break
        }
        return changedColumnProperties.union(changedLinkProperties)
    }

    /// Whether a save would write the object's row.
    ///
    /// A property that was set to an equal value does not count. Core Data has a property of the same name.
    ///
    ///     if post.hasPersistentChangedValues { post.modified = .now }
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
        // The last bit stands for several columns, which only their values distinguish.
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
    /// The names of the stored properties of the entity's objects, except derived ones.
    fileprivate var storedProperties: Set<String> {
        Set(ownColumns.map { columns[$0].property }).union(relationships.map(\.name))
    }
}
