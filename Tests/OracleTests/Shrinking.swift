import Testing

/// Runs operations, and records the shortest part of them that fails too.
///
/// - Parameter run: Runs operations from the beginning, and returns the first failure; nil if there is none.
func expectSuccess<Operation>(_ operations: [Operation], _ run: ([Operation]) throws -> String?) {
    func failure(_ operations: [Operation]) -> String? {
        do { return try run(operations) } catch { return "threw \(error)" }
    }
    guard var reason = failure(operations) else { return }
    var left = operations
    var size = max(1, left.count / 2)
    while true {
        var start = 0
        var isShorter = false
        while start < left.count {
            var fewer = left
            fewer.removeSubrange(start..<min(start + size, left.count))
            if let other = failure(fewer) {
                (left, reason, isShorter) = (fewer, other, true)
            } else {
                start += size
            }
        }
        if size == 1, !isShorter { break }
        size = max(1, size / 2)
    }
    Issue.record("\(left.map { "\($0)" }.joined(separator: "; ")): \(reason)")
}
