import Dispatch

/// Runs closures one after the other, off the threads of Swift's own.
///
/// There are as few of those as cores, so that two closures which wait there, for another context that writes or for the
/// disk, stop every task of a program on two. Here a closure may wait. It is part of the task that calls: it finds its
/// task-local values, its priority and its cancellation.
actor ContextQueue {
    nonisolated let executor = SerialQueueExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Runs a closure when those before it have run.
    func run<Result: Sendable>(_ body: @Sendable () throws -> Result) throws -> Result { try body() }
}

/// Runs the code of one actor on a serial queue of its own.
final class SerialQueueExecutor: SerialExecutor {
    /// Not one of the global queues: off Apple's platforms these have their threads in common with Swift's tasks, so that
    /// what waits there stops them.
    private let queue = DispatchQueue(label: "ashlar.context", autoreleaseFrequency: .workItem)

    func enqueue(_ job: consuming ExecutorJob) {
        let qualityOfService = DispatchQoS(job.priority)
        let job = UnownedJob(job)
        // The actor, and this executor with it, may go with the last thing that the job does.
        queue.async(qos: qualityOfService) { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Runs a closure that is no task's between two pieces of the actor's code.
    func async(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}

extension DispatchQoS {
    /// The class of threads on which Swift runs jobs of a priority.
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
