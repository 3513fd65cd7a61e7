import Foundation
import Synchronization

/// Measures the longest time until the main thread runs a block.
final class Heartbeat: Sendable {
    private struct State {
        var isOn = false
        var longest = Duration.zero
    }

    private let state = Mutex(State())

    /// Returns the longest observed time, and resets it.
    func take() -> Duration {
        state.withLock { state in
            defer { state.longest = .zero }
            return state.longest
        }
    }

    init() {
        Thread { [self] in
            while true {
                usleep(500)
                if state.withLock({ $0.isOn }) { beat() }
            }
        }.start()
    }

    func begin() { state.withLock { $0.isOn = true } }

    /// Ends the observation with a last beat, which a lasting stop delays.
    func end() {
        if !Thread.isMainThread { beat() }
        state.withLock { $0.isOn = false }
    }

    private func beat() {
        let start = ContinuousClock.now
        DispatchQueue.main.sync {}
        let duration = start.duration(to: .now)
        state.withLock { if $0.isOn { $0.longest = max($0.longest, duration) } }
    }
}
