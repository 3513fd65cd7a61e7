import Synchronization

/// Row numbers for objects that were never saved. They are negative, and each is used once in a process.
enum TemporaryRowID {
    private static let last = Atomic<Int64>(0)

    static func next() -> Int64 {
        -last.add(1, ordering: .relaxed).newValue
    }
}
