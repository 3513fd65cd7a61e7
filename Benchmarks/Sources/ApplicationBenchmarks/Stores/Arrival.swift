import BenchmarkHarness
import Foundation
import Synchronization

/// Waits until each of several lists shows an expected date, that of its first row.
final class Arrival: Sendable {
    private let expected = Mutex<[Double?]>([])
    private let arrived = DispatchSemaphore(value: 0)

    /// Begins to wait for a date in each list.
    func expect(_ dates: [Double]) { expected.withLock { $0 = dates } }

    /// Records the date that a list shows now.
    func show(_ list: Int, _ date: Double) {
        let isLast = expected.withLock { expected in
            guard list < expected.count, expected[list] == date else { return false }
            expected[list] = nil
            return expected.allSatisfy { $0 == nil }
        }
        if isLast { arrived.signal() }
    }

    func wait() throws {
        guard arrived.wait(timeout: .now() + 60) == .success else {
            throw LoopError(description: "a list lacks a written change: \(expected.withLock { $0 })")
        }
    }
}
