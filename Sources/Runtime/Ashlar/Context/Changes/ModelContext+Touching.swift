extension ModelContext {
    /// Marks an object as changed, although none of its properties changed.
    ///
    /// The next save writes its row with a new version. Observers such as a ``FetchedResultsController`` of another
    /// context are notified of an update, and the methods of ``ManagedObjectLifecycle`` are called.
    ///
    ///     post.title = "Alps"
    ///     context.touch(author)       // lists of authors follow their posts
    ///
    /// Inserted and deleted objects, and those of no context or another one, stay as they are. In Core Data, assigning
    /// a property to itself has this effect; in Ashlar, such an assignment changes nothing.
    ///
    /// - Parameter model: An object of this context.
    public func touch(_ model: some PersistentModel) { touchObject(model) }

    func touchObject(_ object: ManagedObject) {
        guard object.isLive(in: self), object.record.state == .persisted else { return }
        noteChange(of: object)
        pending.touch(object)
    }
}
