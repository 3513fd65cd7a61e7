import Synchronization

/// The observers of the suspension and resumption of a container's stores.
final class SuspensionObservers: Sendable {
    private struct State {
        var observers: [Int: @Sendable (Bool) -> Void] = [:]
        var waiting: [@Sendable () -> Void] = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Has a closure called with whether the stores are let go of, each time that changes, until it is removed by the
    /// number. It must not suspend or resume the container.
    func add(_ observer: @escaping @Sendable (_ isSuspended: Bool) -> Void) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.observers[state.lastNumber] = observer
            return state.lastNumber
        }
    }

    func remove(_ number: Int) { _ = state.withLock { $0.observers.removeValue(forKey: number) } }

    /// Has a closure called once, when the stores are open again: at once where they are by now.
    func whenResumed(_ body: @escaping @Sendable () -> Void, unless isOpen: () -> Bool) {
        let waiting = state.withLock { state in
            state.waiting.append(body)
            // Whoever opens them tells afterwards: either this sees that they are open, or the closure is found there.
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
