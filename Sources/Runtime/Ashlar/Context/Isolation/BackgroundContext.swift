import Synchronization
import SystemFoundation

/// A context that any task may use, one at a time.
///
/// Use it for work beside the main context, such as imports.
///
///     let background = container.newBackgroundContext()
///     try await background.perform { context in
///         context.insert(Post(timestamp: .now, title: "Great Wall"))
///         try context.save()
///     }
///
/// Objects stay inside: the result of a closure must be `Sendable`, such as identifiers and values structs. Each
/// closure finds the context as the last one left it, with later merges. A context that merges automatically (see
/// ``ModelContext/automaticallyMergesChangesFromParent``) does so soon after another save, when no closure uses it. A
/// ``FetchedResultsController`` in it then notifies its delegate on a thread of the library. The counterpart is a
/// context of Core Data's `newBackgroundContext()`.
///
/// `@unchecked Sendable`: only the holder of the lock uses the context, and no result of a closure leads back to it.
public final class BackgroundContext: @unchecked Sendable {
    private let context: ModelContext
    private let queue = ContextQueue()
    /// A closure may call ``performAndWait(_:)`` again.
    private let lock = NSRecursiveLock()
    /// The nesting depth of closures, which the lock also protects.
    private var depth = 0

    /// Creates a background context of a container.
    ///
    ///     let background = BackgroundContext(container)
    ///
    /// - Parameter container: The container whose store the context reads and writes.
    public init(_ container: ModelContainer) {
        context = ModelContext(container)
        let reference = Reference(self)
        context.wake = { reference.schedule() }
    }

    /// A weak reference to the context, for any task.
    private final class Reference: Sendable {
        /// `@unchecked Sendable`: it is accessed only under the mutex, and the context that it leads to is used under
        /// that context's own lock.
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

        /// Schedules the processing of pending changes, once for all changes until then.
        func schedule() {
            if isScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
            executor.async { [self] in
                isScheduled.store(false, ordering: .sequentiallyConsistent)
                context.withLock { $0.context }?.processPendingChanges()
            }
        }
    }

    /// Merges the saves of other contexts when no closure uses the context. The next closure throws any error.
    private func processPendingChanges() {
        lock.lock()
        defer { lock.unlock() }
        context.processPendingChanges()
    }

    /// Runs a closure with the context, off the caller's thread, when no other closure uses it.
    ///
    /// The closure runs on the context's own queue, as part of the calling task. It may wait for the store without
    /// blocking other tasks. Afterwards the context processes its pending changes, and saves if
    /// ``ModelContext/autosaveEnabled`` is set.
    ///
    ///     let count = try await background.perform { context in try context.fetchCount(Post.all) }
    ///
    /// - Parameter body: The work to do with the context.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error, or that of an autosave.
    public nonisolated(nonsending) func perform<Result: Sendable>(
        _ body: @Sendable (ModelContext) throws -> Result
    ) async throws -> Result {
        try await queue.run { try performAndWait(body) }
    }

    /// Runs a closure with the context, on the caller's thread, when no other closure uses it.
    ///
    /// Use it in code outside of tasks. In a task, ``perform(_:)`` does not block the thread while it waits. Calls may
    /// be nested; pending changes are processed at the end of the outermost.
    ///
    ///     let count = try background.performAndWait { context in try context.fetchCount(Post.all) }
    ///
    /// - Parameter body: The work to do with the context.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error, or that of an autosave.
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
    /// Creates a context for work beside the main context.
    ///
    ///     let background = container.newBackgroundContext()
    ///
    /// Core Data has a method of the same name.
    public func newBackgroundContext() -> BackgroundContext { BackgroundContext(self) }

    /// Runs a closure with a new context, off the caller's thread.
    ///
    /// Changes are discarded unless the closure saves. The closure runs on a queue as in
    /// ``BackgroundContext/perform(_:)``.
    ///
    ///     try await container.performBackgroundTask { context in
    ///         for post in try context.fetch(Post.where { $0.isDraft }) { context.delete(post) }
    ///         try context.save()
    ///     }
    ///
    /// Core Data has a method of the same name.
    ///
    /// - Parameter body: The work to do with the context.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error.
    public nonisolated(nonsending) func performBackgroundTask<Result: Sendable>(
        _ body: @Sendable (ModelContext) throws -> Result
    ) async throws -> Result {
        try await ContextQueue().run { try body(ModelContext(self)) }
    }
}
