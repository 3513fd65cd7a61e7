/// Reading and writing attributes without notifications.
extension PersistentModel {
    /// Returns the value of a property without reporting the access to the Observation library.
    ///
    ///     let likes = post.primitiveValue(for: \.likes)
    ///
    /// Core Data's counterpart is `primitiveValue(forKey:)`.
    ///
    /// - Parameter property: The key path of the property.
    public func primitiveValue<Value>(for property: KeyPath<Self, Value>) -> Value {
        let isObserved = record.isObserved
        record.isObserved = false
        defer { record.isObserved = isObserved }
        return self[keyPath: property]
    }

    /// Sets an attribute without marking the object as changed.
    ///
    /// Use it for values that can be computed again, and for a timestamp that ``ManagedObjectLifecycle/willSave()``
    /// sets. Neither undo nor observers notice the change. The value is saved only if the object is saved for another
    /// reason. A relationship cannot be set this way: it changes as usual, at both ends.
    ///
    ///     post.setPrimitiveValue(.now, for: \.modified)
    ///
    /// Core Data's counterpart is `setPrimitiveValue(_:forKey:)`.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - attribute: The key path of the attribute.
    public func setPrimitiveValue<Value>(_ value: Value, for attribute: ReferenceWritableKeyPath<Self, Value>) {
        if Value.self is any RelationshipValue.Type {
            self[keyPath: attribute] = value
            return
        }
        let (changes, followers) = (record.changes, record.followers)
        // The original values are kept completely first; keeping one column alone would happen too late.
        _ = original
        let before = snapshot()
        // All columns are marked as changed, so that the setter does not report a change.
        record.changes = .max
        record.followers = 0
        let ignores = record.context?.transients.areIgnored ?? false
        record.context?.transients.areIgnored = true
        self[keyPath: attribute] = value
        record.context?.transients.areIgnored = ignores
        record.followers = followers
        record.changes = changes
        notePrimitiveChange(since: before)
    }
}

extension ManagedObject {
    /// Records the columns that differ from a box, so that the next save of the object writes them and a rollback
    /// reverts them.
    fileprivate final func notePrimitiveChange(since before: ValuesBox) {
        guard let context = record.context else { return }
        let bits = changes(since: before, in: .max)
        if bits == 0 { return }
        context.hooks.noteSettling(self, bits)
        guard record.state == .persisted || record.state == .deleted else { return }
        if record.original.isEmpty { original = before }
        // If the object is not to be saved, the bits must not hide a later change.
        if !record.isListed { record.isWatched = true }
        changes |= bits
    }
}

extension ManagedObject {
    /// Forgets columns that were set without notifications, if the object has no other changes and gets the values of
    /// its row.
    final func forgetPrimitiveChanges() {
        if !record.isListed, !record.original.isEmpty { record.context?.clean(self) }
    }
}

/// The value of a relationship's property.
private protocol RelationshipValue {}

extension Optional: RelationshipValue where Wrapped: ManagedObject {}

extension ToMany: RelationshipValue {}
