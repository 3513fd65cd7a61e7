import Synchronization
import SystemFoundation

/// Finds uses of one context by two threads at the same time, which the compiler cannot see where its rules were
/// silenced.
///
/// The environment variable `ASHLAR_CONCURRENCY_DEBUG=1` turns it on for all contexts that are made afterwards: a program
/// that breaks the rule then stops at the place. Without it a context pays for testing one pointer. Core Data's
/// `com.apple.CoreData.ConcurrencyDebug`.
final class ConcurrencyCheck: Sendable {
    private static let isOn = ProcessInfo.processInfo.environment["ASHLAR_CONCURRENCY_DEBUG"] == "1"

    /// The thread that is inside the context; 0 for none.
    private let thread = Atomic<UInt>(0)
    private let isMain: Bool

    private init(isMain: Bool) {
        self.isMain = isMain
    }

    /// Nil while the check is off.
    static func make(isMain: Bool = false) -> ConcurrencyCheck? { isOn ? ConcurrencyCheck(isMain: isMain) : nil }

    /// Notes that the current thread goes in. False when it is inside already.
    func enter() -> Bool {
        if isMain, !Thread.isMainThread {
            preconditionFailure("The main context, or one of its objects, is used off the main thread.")
        }
        let current = WriterLock.thread
        let (isFree, other) = thread.compareExchange(expected: 0, desired: current, ordering: .acquiringAndReleasing)
        if !isFree, other != current {
            preconditionFailure(
                "A ModelContext, or one of its objects, is used by two threads at once. A context belongs to the task or "
                    + "actor that made it; pass on identifiers or values structs instead.")
        }
        return isFree
    }

    func leave() {
        thread.store(0, ordering: .releasing)
    }
}

extension ModelContext {
    /// Runs a closure that reads or changes the context, and stops the program when another thread does so meanwhile.
    @inline(__always)
    func checked(_ body: () throws -> Void) rethrows {
        guard let concurrencyCheck, concurrencyCheck.enter() else { return try body() }
        defer { concurrencyCheck.leave() }
        try body()
    }
}
