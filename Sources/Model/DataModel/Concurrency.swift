import Dispatch
import Foundation
import Synchronization

/// Work on many values at once.
package enum Concurrency {
    /// Transforms every value, on all processors; the results are in the order of the values.
    package static func map<Value: Sendable, Result: Sendable>(
        _ values: [Value], _ transform: @Sendable (Value) -> Result
    ) -> [Result] {
        let results = Mutex([Result?](repeating: nil, count: values.count))
        DispatchQueue.concurrentPerform(iterations: values.count) { index in
            let result = transform(values[index])
            results.withLock { $0[index] = result }
        }
        return results.withLock { $0.compactMap(\.self) }
    }

    /// Transforms slices of the values, one for each processor; for work that is cheaper on neighbours.
    package static func mapSlices<Value: Sendable, Result: Sendable>(
        _ values: [Value], _ transform: @Sendable (ArraySlice<Value>) -> Result
    ) -> [Result] {
        let count = min(max(ProcessInfo.processInfo.activeProcessorCount, 1), (values.count + 7) / 8)
        let slices = (0..<count).map { values[values.count * $0 / count..<values.count * ($0 + 1) / count] }
        return map(slices, transform)
    }
}
