/// Holds a container's main context, and lets it go on the main actor, where its objects are used.
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

    /// Leads from any task to the context, while it is there.
    @MainActor
    private final class Reference: Sendable {
        /// Not the context itself, whose references are counted with every change: of what has a weak one, counting takes longer.
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
    /// It merges what other contexts save, its objects can be observed, and it saves by itself; see
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
