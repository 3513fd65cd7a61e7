public import Ashlar

extension ModelContext {
    /// Inserts random valid objects of an entity, and those that they require, to be saved by the next `save()`.
    ///
    ///     let posts = try context.insertRandom(20, of: Post.self, seed: 7)
    ///
    /// The objects satisfy everything in the model: types, bounds, patterns, required values, uniqueness, and
    /// relationships with their counts. Optional values are sometimes nil. Some objects belong to subentities. The same
    /// seed gives the same objects on any machine. An enumeration that is `CaseIterable` has its cases, and a `Codable`
    /// type has samples.
    ///
    /// - Parameters:
    ///   - count: The number of objects of the entity.
    ///   - model: The class.
    ///   - seed: The seed of the random objects.
    ///   - values: Values to choose from in place of random ones, as the store holds them, by `Entity.attribute` of the
    ///     declaring entity.
    /// - Returns: The objects of the entity, without related ones.
    /// - Throws: ``RandomObjectsError`` if no valid objects can be created, or `StoreError` if the store cannot be
    ///   read.
    @discardableResult
    public func insertRandom<Model: PersistentModel>(
        _ count: Int = 1, of model: Model.Type, seed: UInt64, values: [String: [SQLiteValue]] = [:]
    ) throws -> [Model] {
        var insertion = RandomInsertion(container.model, seed: seed, chosenValues: values)
        try insertion.takeValues(of: container)
        let entity = try container.entity(of: model)
        return try insertion.insert(max(0, count), of: entity, into: ObjectAssembler(self)).compactMap { $0 as? Model }
    }
}

extension ModelContainer {
    /// Inserts and saves any number of random valid objects of an entity, a thousand at a time, with little memory.
    ///
    ///     try container.insertRandom(100_000, of: Post.self, seed: 7)
    ///
    /// The objects are those of ``Ashlar/ModelContext/insertRandom(_:of:seed:values:)``, and are related within the
    /// same thousand.
    ///
    /// - Parameters:
    ///   - count: The number of objects of the entity.
    ///   - model: The class.
    ///   - seed: The seed of the random objects.
    ///   - values: Values to choose from in place of random ones, by `Entity.attribute`.
    /// - Throws: ``RandomObjectsError``, `SaveError`, or `StoreError`. Objects that were saved before remain.
    public func insertRandom<Model: PersistentModel>(
        _ count: Int, of model: Model.Type, seed: UInt64, values: [String: [SQLiteValue]] = [:]
    ) throws {
        var insertion = RandomInsertion(self.model, seed: seed, chosenValues: values)
        try insertion.takeValues(of: self)
        let entity = try entity(of: model)
        var left = count
        while left > 0 {
            let part = min(left, 1000)
            let context = ModelContext(self)
            _ = try insertion.insert(part, of: entity, into: ObjectAssembler(context))
            try context.save()
            left -= part
        }
    }

    fileprivate func entity<Model: PersistentModel>(of model: Model.Type) throws -> EntityDescription {
        // A class of another model has no entity here.
        for entity in self.model.entities where entity.modelClass == model { return entity }
        throw RandomObjectsError.noLegalObject(
            entity: "\(model)", reason: "the container's model \(self.model.name) has no such entity")
    }
}
