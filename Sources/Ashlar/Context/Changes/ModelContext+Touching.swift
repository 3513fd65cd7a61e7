extension ModelContext {
    /// Marks an object as changed without a change, so that the next save writes its row with a new version and tells
    /// everybody of it.
    ///
    ///     post.title = "Alps"
    ///     context.touch(author)       // lists of authors follow their posts
    ///
    /// Whoever follows the object, such as a ``FetchedResultsController`` of another context, is told of an update, and
    /// ``ManagedObjectLifecycle`` has its hooks called. An inserted or deleted object, and one of no context or another one,
    /// stays as it is. It does what the assignment of a property to itself does in Core Data, which here is no change.
    public func touch(_ model: some PersistentModel) { touchObject(model) }

    func touchObject(_ object: ManagedObject) {
        guard object.isLive(in: self), object.record.state == .persisted else { return }
        noteChange(of: object)
        pending.touch(object)
    }
}
