import AshlarSQLite
import Dispatch
import Foundation

@testable import Ashlar

/// Writes on a thread of its own until `finish()` is called.
final class Writing: Sendable {
    private let end = DispatchSemaphore(value: 0)
    private let isOver = DispatchSemaphore(value: 0)

    init(_ container: ModelContainer) {
        let begun = DispatchSemaphore(value: 0)
        let (end, isOver) = (end, isOver)
        Thread.detachNewThread {
            try? container.pool.write { _ in
                begun.signal()
                end.wait()
            }
            isOver.signal()
        }
        begun.wait()
    }

    func finish() {
        end.signal()
        isOver.wait()
    }
}
