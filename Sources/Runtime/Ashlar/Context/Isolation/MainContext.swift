/// Holds a container's main context, and releases it on the main actor, where its objects are used.
@MainActor
final class MainContext {
    let context: ModelContext

    init(_ container: ModelContainer) {
        let context = ModelContext(container)
        self.context = context
        context.concurrencyCheck = ConcurrencyCheck.make(isMain: true)
        let reference = Reference()
        context.wake = { reference.schedule() }
        context.automaticallyMergesChangesFromParent = true
        context.isObservable = true
        context.autosaving.isWoken = true
        context.autosaveEnabled = true
        reference.main = self
    }

    isolated deinit {}

    /// A weak reference to the context, for any task.
    @MainActor
    private final class Reference: Sendable {
        /// The reference is not weak to the context itself: reference counting is slower for an object with weak
        /// references, and each change counts references to the context.
        weak var main: MainContext?

        nonisolated init() {}

        nonisolated func schedule() {
            Task { @MainActor in main?.context.processPendingChanges() }
        }
    }
}

extension ModelContainer {
    /// The context of the main actor, for user interfaces.
    ///
    /// It merges the saves of other contexts, its objects can be observed, and it saves automatically; see
    /// ``ModelContext/autosaveEnabled``. It lives as long as the container.
    ///
    ///     Task { @MainActor in
    ///         let posts = try container.mainContext.fetch(Post.order { $0.timestamp.descending })
    ///         show(posts)
    ///     }
    ///
    /// The counterparts are SwiftData's `mainContext` and Core Data's `viewContext`.
    @MainActor
    public var mainContext: ModelContext {
        if let main { return main.context }
        let made = MainContext(ModelContainer(sharing: self))
        main = made
        return made.context
    }
}
