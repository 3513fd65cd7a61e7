import AshlarSQLite
import Dispatch
import Synchronization
import SystemFoundation

#if os(Windows)
    import WinSDK
#endif

/// Lets one thread at a time use the connection that writes, in the order of their requests.
///
/// Unlike a mutex, it has a timeout, can be tried, and records its thread: code that a batch operation calls while it
/// writes may try to write, too.
final class WriterLock: Sendable {
    /// The reason why a thread did not get the lock.
    enum Refusal: Error {
        /// Other threads had it for the whole time.
        case timeout
        /// This thread is already writing.
        case nested
    }

    private struct State {
        /// The thread that has the lock; 0 for none.
        var owner: UInt = 0
        /// Whether the owner writes. An owner that only reserved the lock may begin to write.
        var isWriting = false
        var waiters: [Waiter] = []
        /// The closures to call when no one holds the lock.
        var followers: [@Sendable () -> Void] = []
    }

    /// A thread that waits.
    private final class Waiter: Sendable {
        let thread: UInt
        let signal = DispatchSemaphore(value: 0)

        init(_ thread: UInt) { self.thread = thread }
    }

    private let state = Mutex(State())

    /// The time that a thread sleeps before it checks for cancellation.
    private static let interval = DispatchTimeInterval.milliseconds(20)

    /// A number that no other running thread has.
    static var thread: UInt {
        #if os(Windows)
            UInt(GetCurrentThreadId())
        #else
            // It is a number with glibc and on Android, and a pointer elsewhere.
            withUnsafeBytes(of: pthread_self()) { $0.loadUnaligned(as: UInt.self) }
        #endif
    }

    /// Whether this thread has the lock.
    var isOfThisThread: Bool {
        let thread = Self.thread
        return state.withLock { $0.owner == thread }
    }

    /// Runs a closure while no other thread has the lock.
    ///
    /// - Throws: ``Refusal``; `CancellationError` if a cancellation ends the wait; the errors of the closure.
    func withLock<Result>(
        milliseconds: Int, _ cancellation: FetchCancellation?, _ body: () throws -> Result
    ) throws -> Result {
        let isReserved = try lock(milliseconds: milliseconds, cancellation)
        defer { unlock(staysReserved: isReserved) }
        return try body()
    }

    /// Takes the lock, and returns whether the thread had reserved it. The same thread gives the lock back with
    /// ``unlock(staysReserved:)``.
    ///
    /// - Throws: The errors of ``withLock(milliseconds:_:_:)``.
    func lock(milliseconds: Int, _ cancellation: FetchCancellation?) throws -> Bool {
        switch attempt() {
        case .locked(let wasReserved): return wasReserved
        case .nested: throw Refusal.nested
        case .waiting(let waiter):
            try wait(waiter, milliseconds, cancellation)
            return false
        }
    }

    /// Runs a closure during which this thread gets the lock immediately, as often as it requests it. Returns nil,
    /// without running the closure, if another thread has the lock.
    func withReservation<Result>(_ body: () throws -> Result) rethrows -> Result? {
        let thread = Self.thread
        let isReserved = state.withLock { state in
            guard state.owner == 0 else { return false }
            state.owner = thread
            return true
        }
        guard isReserved else { return nil }
        defer { unlock(staysReserved: false) }
        return try body()
    }

    /// Calls a closure once, on any thread, as soon as no thread has the lock.
    func whenFree(_ body: @escaping @Sendable () -> Void) {
        let isFree = state.withLock { state in
            if state.owner != 0 { state.followers.append(body) }
            return state.owner == 0
        }
        if isFree { body() }
    }

    // MARK: Locking

    private enum Attempt {
        case locked(wasReserved: Bool)
        case waiting(Waiter)
        case nested
    }

    private func attempt() -> Attempt {
        let thread = Self.thread
        return state.withLock { state in
            if state.owner != 0, state.owner != thread {
                let waiter = Waiter(thread)
                state.waiters.append(waiter)
                return .waiting(waiter)
            }
            if state.isWriting { return .nested }
            let wasReserved = state.owner == thread
            state.owner = thread
            state.isWriting = true
            return .locked(wasReserved: wasReserved)
        }
    }

    /// Waits until the lock is handed over.
    private func wait(_ waiter: Waiter, _ milliseconds: Int, _ cancellation: FetchCancellation?) throws {
        let end = DispatchTime.now() + .milliseconds(milliseconds)
        while true {
            // Only a wait that can be cancelled has to wake up at intervals.
            let pause = cancellation == nil ? end : min(end, .now() + Self.interval)
            if waiter.signal.wait(timeout: pause) == .success {
                // Some race detectors do not see that the signal comes after the work before it.
                return state.withLock { _ in }
            }
            let isCancelled = cancellation?.isCancelled ?? false
            // The lock may be handed over at this very moment.
            guard isCancelled || .now() >= end, withdraw(waiter) else { continue }
            if isCancelled { throw CancellationError() }
            throw Refusal.timeout
        }
    }

    /// Ends the wait; returns false if the waiter already has the lock.
    private func withdraw(_ waiter: Waiter) -> Bool {
        state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else { return false }
            state.waiters.remove(at: index)
            return true
        }
    }

    /// Hands the lock to the thread that has waited longest.
    func unlock(staysReserved: Bool) {
        let (next, followers) = state.withLock { state -> (Waiter?, [@Sendable () -> Void]) in
            state.isWriting = false
            if staysReserved { return (nil, []) }
            guard state.waiters.isEmpty else {
                let next = state.waiters.removeFirst()
                state.owner = next.thread
                state.isWriting = true
                return (next, [])
            }
            state.owner = 0
            if state.followers.isEmpty { return (nil, []) }
            defer { state.followers = [] }
            return (nil, state.followers)
        }
        next?.signal.signal()
        for follower in followers { follower() }
    }
}
