import Dispatch

/// The values of some of the rows, which one thread reads for another.
///
/// Unchecked, because one thread creates a part, and another one moves it out when the first has ended.
final class ValuesPart: @unchecked Sendable {
    private var buffer: ValuesBuffer?
    private let count: Int

    init(_ buffer: consuming ValuesBuffer) {
        count = buffer.count
        self.buffer = consume buffer
    }

    /// Returns the values of all parts, in order. Several threads move them, because most of the time is spent on
    /// memory that the system has to clear first.
    static func array<Values: EntityValues>(_ parts: [ValuesPart], of type: Values.Type) -> [Values] {
        var starts: [Int] = []
        var total = 0
        for part in parts {
            starts.append(total)
            total += part.count
        }
        if total == 0 { return [] }
        return [Values](unsafeUninitializedCapacity: total) { target, initialized in
            guard let first = target.baseAddress else { return }
            // Each part has its own range.
            nonisolated(unsafe) let base = first
            let places = starts
            DispatchQueue.concurrentPerform(iterations: parts.count) { index in
                parts[index].move(to: base + places[index])
            }
            initialized = total
        }
    }

    private func move<Values: EntityValues>(to target: UnsafeMutablePointer<Values>) {
        if var buffer = buffer.take() { buffer.move(to: target) }
    }
}
