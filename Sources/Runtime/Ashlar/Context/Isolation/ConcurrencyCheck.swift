import Synchronization
import SystemFoundation

/// Detects that two threads use one context at the same time, which the compiler does not detect where its checks were
/// disabled.
///
/// The environment variable `ASHLAR_CONCURRENCY_DEBUG=1` enables the check for all contexts that are created
/// afterwards. A program that violates the rule then stops at the violation. If it is disabled, the check costs the
/// test of one pointer. Core Data's counterpart is `com.apple.CoreData.ConcurrencyDebug`.
final class ConcurrencyCheck: Sendable {
    private static let isOn = ProcessInfo.processInfo.environment["ASHLAR_CONCURRENCY_DEBUG"] == "1"

    /// The thread that uses the context; 0 for none.
    private let thread = Atomic<UInt>(0)
    private let isMain: Bool

    private init(isMain: Bool) {
        self.isMain = isMain
    }

    /// Creates a check; returns nil if checks are disabled.
    static func make(isMain: Bool = false) -> ConcurrencyCheck? { isOn ? ConcurrencyCheck(isMain: isMain) : nil }

    /// Records that the current thread uses the context. Returns false if it already does.
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
    /// Runs a closure that reads or changes the context, and stops the program if another thread does so at the same
    /// time.
    @inline(__always)
    func checked(_ body: () throws -> Void) rethrows {
        guard let concurrencyCheck, concurrencyCheck.enter() else { return try body() }
        defer { concurrencyCheck.leave() }
        try body()
    }
}
