import Foundation
import Testing

/// Runs each test with threads of its own, as each test with a child process (`processExitsWith:`) must.
///
/// Swift Testing reads the results of a child on a thread of Swift's pool, which it holds until the child ends. The pool has
/// one thread for each core, so that on two cores two children that wait for their tests would wait for ever. A child
/// that has ended also delays the tests of all others until its own test has a thread.
///
///     @Suite(.ownThreads) struct ProcessTests {}
///
/// Tasks that a test starts with `async let` or in a group have such threads too. `Task { }` uses the pool.
package struct ThreadTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadExecutor()) { try await function() }
    }
}

extension Trait where Self == ThreadTrait {
    /// Threads that no other test uses.
    package static var ownThreads: ThreadTrait { ThreadTrait() }
}

/// Runs each part of a task, from one suspension to the next, on a new thread.
private final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
