public import SystemFoundation

extension ModelContext {
    /// Deletes all objects of a class for which a predicate holds, when the context is saved next: SwiftData's method, with
    /// SwiftData's meaning.
    ///
    ///     try context.delete(model: Post.self, where: #Predicate { $0.timestamp < lastYear })
    ///     try context.save()
    ///
    /// It fetches the objects, unsaved ones among them, and deletes each, so that a rollback brings them back and the time
    /// grows with their number. ``batchDelete(_:)`` deletes rows in the store at once, without making objects of them.
    ///
    /// - Throws: As ``ModelContext/fetch(_:)->[Model]``.
    public func delete<Model: PersistentModel>(
        model: Model.Type, where predicate: Predicate<Model>? = nil, includeSubclasses: Bool = true
    ) throws {
        var descriptor = FetchDescriptor<Model>(predicate: predicate)
        descriptor.includesSubentities = includeSubclasses
        for object in try fetch(descriptor) { delete(object) }
    }
}
