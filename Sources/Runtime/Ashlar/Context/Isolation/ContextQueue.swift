import Dispatch

/// Runs closures one after the other, off the threads of Swift's concurrency runtime.
///
/// The runtime has only as many threads as the processor has cores. On two cores, two closures that wait there for
/// another writer or for the disk would stop every task of a program. Here a closure may wait. It runs as part of the
/// calling task, with its task-local values, priority and cancellation.
actor ContextQueue {
    nonisolated let executor = SerialQueueExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Runs a closure after the closures before it.
    func run<Result: Sendable>(_ body: @Sendable () throws -> Result) throws -> Result { try body() }
}

/// Runs the code of one actor on its own serial queue.
final class SerialQueueExecutor: SerialExecutor {
    /// A separate queue, not a global one: outside Apple's platforms, the global queues share their threads with
    /// Swift's tasks, which a waiting closure would block.
    private let queue = DispatchQueue(label: "ashlar.context", autoreleaseFrequency: .workItem)

    func enqueue(_ job: consuming ExecutorJob) {
        let qualityOfService = DispatchQoS(job.priority)
        let job = UnownedJob(job)
        // The job may release the actor, and this executor with it, at its end.
        queue.async(qos: qualityOfService) { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Runs a closure that belongs to no task between two pieces of the actor's code.
    func async(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}

extension DispatchQoS {
    /// The quality of service of the threads on which Swift runs jobs of a priority.
    fileprivate init(_ priority: JobPriority) {
        switch TaskPriority(priority) {
        case nil: self = .unspecified
        case let priority? where priority >= .high: self = .userInitiated
        case let priority? where priority >= .medium: self = .default
        case let priority? where priority >= .low: self = .utility
        default: self = .background
        }
    }
}
