import Synchronization

/// The observers of the suspension and resumption of a container's stores.
final class SuspensionObservers: Sendable {
    private struct State {
        var observers: [Int: @Sendable (Bool) -> Void] = [:]
        var waiting: [@Sendable () -> Void] = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Adds a closure that is called with each change of the suspension, until it is removed by the returned number. It
    /// must not suspend or resume the container.
    func add(_ observer: @escaping @Sendable (_ isSuspended: Bool) -> Void) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.observers[state.lastNumber] = observer
            return state.lastNumber
        }
    }

    func remove(_ number: Int) { _ = state.withLock { $0.observers.removeValue(forKey: number) } }

    /// Calls a closure once, when the stores are open again, or immediately if they are.
    func whenResumed(_ body: @escaping @Sendable () -> Void, unless isOpen: () -> Bool) {
        let waiting = state.withLock { state in
            state.waiting.append(body)
            // The thread that opens the stores notifies afterwards: either this check finds them open, or that thread
            // finds the closure.
            guard isOpen() else { return [] as [@Sendable () -> Void] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for body in waiting { body() }
    }

    func tell(isSuspended: Bool) {
        let (observers, waiting) = state.withLock { state in
            defer { if !isSuspended { state.waiting = [] } }
            return (Array(state.observers.values), isSuspended ? [] : state.waiting)
        }
        for observer in observers { observer(isSuspended) }
        for body in waiting { body() }
    }
}
