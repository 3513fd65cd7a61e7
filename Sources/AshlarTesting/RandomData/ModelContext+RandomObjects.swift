public import Ashlar

extension ModelContext {
    /// Inserts random legal objects of an entity, to be saved by the next `save()`, with those that they need.
    ///
    ///     let posts = try context.insertRandom(20, of: Post.self, seed: 7)
    ///
    /// They are legal by all that the model says: types, bounds, patterns, required values, uniqueness, required
    /// relationships and their counts, inverses. What may be nil sometimes is. Of an entity with others below it, some are of
    /// those. Related objects are made too. The same seed gives the same objects on any machine. An enumeration that is
    /// `CaseIterable` has its cases, and a type that is `Codable` samples of itself.
    ///
    /// - Parameters:
    ///   - count: How many objects of the entity.
    ///   - model: The class.
    ///   - seed: What the objects depend on.
    ///   - values: Values to choose from in place of random ones, as the store has them, by `Entity.attribute` of the entity
    ///     that declares the attribute.
    /// - Returns: The objects of the entity, without those that they are related to.
    /// - Throws: ``RandomObjectsError``; `StoreError` when the store cannot be read.
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
    /// Saves any number of random legal objects of an entity, as ``Ashlar/ModelContext/insertRandom(_:of:seed:values:)``
    /// makes them, a thousand at a time, so that they need little memory.
    ///
    ///     try container.insertRandom(100_000, of: Post.self, seed: 7)
    ///
    /// Objects are related to others of the same thousand.
    ///
    /// - Parameters:
    ///   - count: How many objects of the entity.
    ///   - model: The class.
    ///   - seed: What the objects depend on.
    ///   - values: Values to choose from in place of random ones, by `Entity.attribute`.
    /// - Throws: ``RandomObjectsError``, `SaveError`, `StoreError`. What was saved before stays.
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
