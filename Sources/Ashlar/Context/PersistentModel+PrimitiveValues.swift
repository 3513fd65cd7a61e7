/// Reading and writing attributes without anyone being told.
extension PersistentModel {
    /// Reads a property without reporting the access to the Observation library. Core Data's `primitiveValue(forKey:)`.
    public func primitiveValue<Value>(for property: KeyPath<Self, Value>) -> Value {
        let isObserved = record.isObserved
        record.isObserved = false
        defer { record.isObserved = isObserved }
        return self[keyPath: property]
    }

    /// Sets an attribute without the context noting a change: no save writes it on its account, and neither undo,
    /// observers nor notifications learn of it.
    ///
    /// For values that can be computed again, such as those that ``ManagedObjectLifecycle/awakeFromFetch()`` prepares. A
    /// value that is to be stored belongs into the property itself. Of an object that was never saved the value is
    /// saved, since all of it is. A relationship cannot be set so: it is changed as always, at both ends. Core Data's
    /// `setPrimitiveValue(_:forKey:)`.
    public func setPrimitiveValue<Value>(_ value: Value, for attribute: ReferenceWritableKeyPath<Self, Value>) {
        if Value.self is any RelationshipValue.Type {
            self[keyPath: attribute] = value
            return
        }
        let (changes, isObserved) = (record.changes, record.isObserved)
        // Taking changes back takes this back too.
        _ = original
        // A setter whose column changed already has nothing to say.
        record.changes = .max
        record.isObserved = false
        self[keyPath: attribute] = value
        record.isObserved = isObserved
        record.changes = changes
    }
}

/// What a relationship's property holds.
private protocol RelationshipValue {}

extension Optional: RelationshipValue where Wrapped: ManagedObject {}

extension ToMany: RelationshipValue {}
