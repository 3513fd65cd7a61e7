public import SystemFoundation

extension ModelContext {
    /// Deletes all objects of a class for which a predicate holds, with the next save.
    ///
    ///     try context.delete(model: Post.self, where: #Predicate { $0.timestamp < lastYear })
    ///     try context.save()
    ///
    /// It fetches the objects, including unsaved ones, and deletes each, so a rollback restores them.
    /// ``batchDelete(_:)`` deletes rows immediately without loading objects. SwiftData has a method of the same name.
    ///
    /// - Parameters:
    ///   - model: The class of the objects.
    ///   - predicate: The condition; nil deletes all objects.
    ///   - includeSubclasses: Whether objects of subclasses are deleted too.
    /// - Throws: The errors of ``ModelContext/fetch(_:)->[Model]``.
    /// - Complexity: O(*n*) in the number of objects.
    public func delete<Model: PersistentModel>(
        model: Model.Type, where predicate: Predicate<Model>? = nil, includeSubclasses: Bool = true
    ) throws {
        var descriptor = FetchDescriptor<Model>(predicate: predicate)
        descriptor.includesSubentities = includeSubclasses
        for object in try fetch(descriptor) { delete(object) }
    }
}
