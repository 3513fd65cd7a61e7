import Synchronization

/// What runs the code of a ``ModelActor``, and holds its context. SwiftData's protocol of the same name.
public protocol ModelExecutor: SerialExecutor {
    /// The actor's context, for the actor's own code only.
    var modelContext: ModelContext { get }
}

/// Runs the code of one ``ModelActor``, and holds its context. SwiftData's class of the same name.
///
/// The code runs on a queue of the executor's own, one piece after the other. It may wait there, for another context that
/// writes or for another process, and other tasks go on.
///
/// `@unchecked Sendable`: the context is made here or handed over for good, and given out to the code of one actor only,
/// the first that asks. Who takes ``modelContext`` from elsewhere, which SwiftData's protocol allows, answers for it.
public final class DefaultSerialModelExecutor: ModelExecutor, @unchecked Sendable {
    /// The actor's context, for the actor's own code only, which finds it in ``ModelActor/modelContext``.
    public let modelContext: ModelContext
    private let owner = Atomic<UInt>(0)
    private let queue = SerialQueueExecutor()

    /// Makes a context for an actor.
    public convenience init(modelContainer: ModelContainer) {
        self.init(modelContext: ModelContext(modelContainer))
    }

    /// Takes over a context for an actor, where it is to be set up first.
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

    // MARK: What Swift asks of an executor

    /// Runs a piece of the actor's code after those before it.
    public func enqueue(_ job: consuming ExecutorJob) { queue.enqueue(job) }

    /// What tells this executor from others.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Stops the program when the current thread does not run the actor's code.
    public func checkIsolated() { queue.checkIsolated() }
}
