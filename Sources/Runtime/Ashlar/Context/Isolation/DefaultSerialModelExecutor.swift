import Synchronization

/// An executor that runs the code of a ``ModelActor`` and holds its context.
///
/// ``DefaultSerialModelExecutor`` is the usual one. SwiftData has a protocol of the same name.
public protocol ModelExecutor: SerialExecutor {
    /// The actor's context, for the actor's own code only.
    var modelContext: ModelContext { get }
}

/// The usual executor of a ``ModelActor``, which runs its code and holds its context.
///
/// The code runs on the executor's own queue, one piece after the other. It may wait there for other writers without
/// blocking other tasks. ``ModelActor`` has an example. SwiftData has a class of the same name.
///
///     let executor = DefaultSerialModelExecutor(modelContainer: container)
///
/// `@unchecked Sendable`: the context is created here or handed over for good. It is given to the code of one actor
/// only, the first to use it. Code elsewhere that reads ``modelContext``, which SwiftData's protocol allows, is
/// responsible for its own isolation.
public final class DefaultSerialModelExecutor: ModelExecutor, @unchecked Sendable {
    /// The actor's context, for the actor's own code only, which reads it as ``ModelActor/modelContext``.
    public let modelContext: ModelContext
    private let owner = Atomic<UInt>(0)
    private let queue = SerialQueueExecutor()

    /// Creates an executor with a new context for an actor.
    ///
    ///     let executor = DefaultSerialModelExecutor(modelContainer: container)
    ///
    /// - Parameter modelContainer: The container of the context.
    public convenience init(modelContainer: ModelContainer) {
        self.init(modelContext: ModelContext(modelContainer))
    }

    /// Creates an executor with an existing context, which the caller gives up.
    ///
    /// Use it to configure the context first.
    ///
    ///     let context = ModelContext(container)
    ///     context.author = "import"
    ///     let executor = DefaultSerialModelExecutor(modelContext: context)
    ///
    /// - Parameter modelContext: The context to take over.
    public init(modelContext: sending ModelContext) {
        self.modelContext = modelContext
    }

    func context(for actor: some ModelActor) -> ModelContext {
        let identity = UInt(bitPattern: ObjectIdentifier(actor))
        let (isFirst, known) = owner.compareExchange(expected: 0, desired: identity, ordering: .relaxed)
        precondition(
            isFirst || known == identity, "A DefaultSerialModelExecutor belongs to one actor; make one for each.")
        return modelContext
    }

    // MARK: Requirements of executors

    /// Runs a piece of the actor's code after those before it.
    public func enqueue(_ job: consuming ExecutorJob) { queue.enqueue(job) }

    /// Returns the reference by which the Swift runtime identifies this executor.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Stops the program if the current thread does not run the actor's code.
    public func checkIsolated() { queue.checkIsolated() }
}
