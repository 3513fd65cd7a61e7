import Dispatch

/// The values of some of the rows, which a thread read for another.
///
/// Unchecked, as a part is made by one thread, and moved out by one when that has ended.
final class ValuesPart: @unchecked Sendable {
    private var buffer: ValuesBuffer?
    private let count: Int

    init(_ buffer: consuming ValuesBuffer) {
        count = buffer.count
        self.buffer = consume buffer
    }

    /// The values of all parts, in their order. Several threads move them, as most of the time goes into memory that the system has
    /// to clear first.
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
            // Each part has a place of its own.
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
