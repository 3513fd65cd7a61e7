/// Proves that all contestants of a workload did the same work.
package struct Checksum: Equatable {
    package private(set) var count = 0
    package private(set) var sum: UInt64 = 0

    package init() {}

    package init(count: Int = 0, sum: UInt64) {
        self.count = count
        self.sum = sum
    }

    /// Adds a value that was read. The order of values matters.
    package mutating func add(_ hash: UInt64) {
        count += 1
        sum = (sum &* 31) &+ hash
    }
}
