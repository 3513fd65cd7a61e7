/// The numbers that define the order of members. They are far apart, so that a member can move between two others
/// without writing these.
package enum OrderKeys {
    /// The distance of newly assigned keys.
    package static let distance: Int64 = 1 << 20
    /// The least distance after members give up their keys to make room, so that the next move rarely needs room again.
    private static let leastDistance: Int64 = 1 << 8

    /// Returns the ascending keys of members in a new order, given their present keys. As many as possible stay
    /// unchanged.
    ///
    /// - Complexity: O(*n* log *n*).
    static func keys(replacing old: [Int64?]) -> [Int64] {
        var keys = kept(old)
        var result: [Int64] = []
        result.reserveCapacity(keys.count)
        var position = 0
        while position < keys.count {
            if keys[position] == nil { fill(&keys, around: position) }
            position += 1
        }
        for case let key? in keys { result.append(key) }
        return result
    }

    /// Returns members in their own order, except that some are reordered among themselves. Each other member stays
    /// behind the member that it followed; those behind all of them stay last.
    static func placing(_ members: [Int64], among ordered: [Int64]) -> [Int64] {
        let known = Set(ordered)
        var followers: [Int64: [Int64]] = [:]
        var (first, run): ([Int64], [Int64]) = ([], [])
        var previous: Int64?
        for member in members {
            guard known.contains(member) else {
                run.append(member)
                continue
            }
            if let previous { followers[previous] = run } else { first = run }
            (previous, run) = (member, [])
        }
        return first + ordered.flatMap { [$0] + (followers[$0] ?? []) } + run
    }

    /// Returns the keys that can stay: a longest ascending subsequence.
    private static func kept(_ old: [Int64?]) -> [Int64?] {
        var result = [Int64?](repeating: nil, count: old.count)
        // Temporary allocations for the three lists of each owner with moved members take a third of the time of
        // arrays.
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: old.count) { keys in
            withUnsafeTemporaryAllocation(of: Int.self, capacity: old.count) { last in
                withUnsafeTemporaryAllocation(of: Int.self, capacity: old.count) { previous in
                    var position = longest(old, keys, last, previous)
                    while position >= 0 {
                        result[position] = old[position]
                        position = previous[position]
                    }
                }
            }
        }
        return result
    }

    /// Finds a longest ascending subsequence and returns its last position; -1 if there is none.
    ///
    /// - Parameters:
    ///   - keys: Receives the least last keys of ascending subsequences, by their lengths.
    ///   - last: Receives the positions of these keys.
    ///   - previous: Receives the predecessor of each position that has a key.
    private static func longest(
        _ old: [Int64?], _ keys: UnsafeMutableBufferPointer<Int64>, _ last: UnsafeMutableBufferPointer<Int>,
        _ previous: UnsafeMutableBufferPointer<Int>
    ) -> Int {
        var count = 0
        // The place of the previous key, which the next one usually follows.
        var next = 0
        for position in old.indices {
            guard let key = old[position] else { continue }
            if next > 0 && keys[next - 1] >= key || next < count && keys[next] < key {
                var (low, high) = (0, count)
                while low < high {
                    let middle = (low + high) / 2
                    if keys[middle] < key { low = middle + 1 } else { high = middle }
                }
                next = low
            }
            previous.initializeElement(at: position, to: next > 0 ? last[next - 1] : -1)
            keys.initializeElement(at: next, to: key)
            last.initializeElement(at: next, to: position)
            if next == count { count += 1 }
            next += 1
        }
        return count == 0 ? -1 : last[count - 1]
    }

    /// Assigns keys to members without one, and to as many around them as must make room.
    private static func fill(_ keys: inout [Int64?], around position: Int) {
        var low = position
        var high = position + 1
        var least: Int64 = 1
        while true {
            while high < keys.count, keys[high] == nil { high += 1 }
            let left = low > 0 ? keys[low - 1] : nil
            let right = high < keys.count ? keys[high] : nil
            if let run = spread(high - low, between: left, and: right, least) {
                for (offset, key) in run.enumerated() { keys[low + offset] = key }
                return
            }
            let count = high - low
            low = max(0, low - count)
            high = min(keys.count, high + count)
            least = leastDistance
        }
    }

    /// Returns keys between two others, or beside one; nil if there is not enough room.
    private static func spread(
        _ count: Int, between left: Int64?, and right: Int64?, _ least: Int64
    ) -> [Int64]? {
        let count = Int64(count)
        guard let left, let right else {
            let (width, isTooWide) = distance.multipliedReportingOverflow(by: count)
            let first = left ?? right.map { $0.subtractingReportingOverflow(width + distance).partialValue } ?? 0
            if isTooWide { return nil }
            if let left, left.addingReportingOverflow(width).overflow { return nil }
            if let right, right.subtractingReportingOverflow(width + distance).overflow { return nil }
            return (1...count).map { first + distance * $0 }
        }
        let (gap, isTooWide) = right.subtractingReportingOverflow(left)
        let step = (isTooWide ? .max : gap) / (count + 1)
        return step < least ? nil : (1...count).map { left + step * $0 }
    }
}
