import Foundation
import Synchronization

/// Wakes the waiting tasks, or the next task that waits if there are none.
///
/// An `AsyncStream` would lose elements: it ends when a task that reads it is cancelled, and the element that the task
/// had taken is lost.
final class Signal: Sendable {
    private struct State {
        var isSet = false
        var waiting: [UUID: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    func set() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            state.isSet = state.waiting.isEmpty
            return state.waiting.values.map { $0 }
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until it is set, and resets it. Returns early if the task is cancelled.
    func wait() async {
        let number = UUID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isSet = state.withLock { state in
                    // A task that was cancelled leaves it to the next.
                    if Task.isCancelled { return true }
                    if state.isSet {
                        state.isSet = false
                        return true
                    }
                    state.waiting[number] = continuation
                    return false
                }
                if isSet { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}
