import Synchronization
import SystemFoundation

/// A context that any task may use, one after the other.
///
///     let background = container.newBackgroundContext()
///     try await background.perform { context in
///         context.insert(Post(timestamp: .now, title: "Great Wall"))
///         try context.save()
///     }
///
/// Objects stay inside: what a closure returns must be `Sendable`, such as identifiers and values structs. Each closure
/// finds the context as the one before left it, and with what was merged since. A context that merges what others save,
/// see ``ModelContext/automaticallyMergesChangesFromParent``, does so as soon as it is saved and no closure has the
/// context: a ``FetchedResultsController`` in it tells its delegate then, on a thread of the library's. Core Data's contexts
/// of `newBackgroundContext()`.
///
/// `@unchecked Sendable`: the context is used only by whoever holds the lock, and nothing that a closure returns can lead
/// back to it.
public final class BackgroundContext: @unchecked Sendable {
    private let context: ModelContext
    private let queue = ContextQueue()
    /// A closure may call ``performAndWait(_:)`` again.
    private let lock = NSRecursiveLock()
    /// How many closures are inside one another; under the lock too.
    private var depth = 0

    /// Makes a context.
    public init(_ container: ModelContainer) {
        context = ModelContext(container)
        let reference = Reference(self)
        context.wake = { reference.schedule() }
    }

    /// Leads from any task to the context, while it is there.
    private final class Reference: Sendable {
        /// `@unchecked Sendable`: it is read and written under the mutex alone, and the context that it leads to is used
        /// under that context's own lock.
        private struct Weak: @unchecked Sendable {
            weak var context: BackgroundContext?
        }

        private let context: Mutex<Weak>
        private let executor: SerialQueueExecutor
        private let isScheduled = Atomic(false)

        init(_ context: BackgroundContext) {
            self.context = Mutex(Weak(context: context))
            executor = context.queue.executor
        }

        /// Has the context process what waits, once for all that comes until then.
        func schedule() {
            if isScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
            executor.async { [self] in
                isScheduled.store(false, ordering: .sequentiallyConsistent)
                context.withLock { $0.context }?.processPendingChanges()
            }
        }
    }

    /// Merges what others saved, when no closure has the context. An error is for the next closure.
    private func processPendingChanges() {
        lock.lock()
        defer { lock.unlock() }
        context.processPendingChanges()
    }

    /// Runs a closure with the context, off the caller's thread, when no other closure has it.
    ///
    /// The closure runs on a queue of the context's own, where it may wait for the store without keeping other tasks from
    /// running; it is part of the task that calls. Afterwards pending changes are processed, and saved where
    /// ``ModelContext/autosaveEnabled`` is set.
    ///
    /// - Throws: What the closure throws; what the context's own saving throws.
    public nonisolated(nonsending) func perform<Result: Sendable>(
        _ body: @Sendable (ModelContext) throws -> Result
    ) async throws -> Result {
        try await queue.run { try performAndWait(body) }
    }

    /// Runs a closure with the context, on the caller's thread, when no other closure has it.
    ///
    /// For code that is no task's. In one, ``perform(_:)`` keeps the thread free for others while the closure waits. A
    /// closure may call this again; pending changes are processed once, at the end of the outermost.
    ///
    /// - Throws: What the closure throws; what the context's own saving throws.
    public func performAndWait<Result: Sendable>(_ body: (ModelContext) throws -> Result) throws -> Result {
        lock.lock()
        defer { lock.unlock() }
        depth += 1
        defer { depth -= 1 }
        if depth == 1, context.subscription.isOn || !context.listeners.liveResults.isEmpty { context.mergeAndTell() }
        let result = try body(context)
        if depth == 1 {
            context.processPendingChanges()
            try context.throwDeferredError()
        }
        return result
    }
}

extension ModelContainer {
    /// Makes a context for work beside the main one.
    public func newBackgroundContext() -> BackgroundContext { BackgroundContext(self) }

    /// Runs a closure with a context of its own, off the caller's thread. Core Data's method of the same name.
    ///
    /// What the closure changes is discarded unless it saves. It runs where ``BackgroundContext/perform(_:)`` would run it.
    ///
    /// - Throws: What the closure throws.
    public nonisolated(nonsending) func performBackgroundTask<Result: Sendable>(
        _ body: @Sendable (ModelContext) throws -> Result
    ) async throws -> Result {
        try await ContextQueue().run { try body(ModelContext(self)) }
    }
}
