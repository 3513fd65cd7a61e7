/// The numbers that keep the order of members: far apart, so that a member that moves finds room between two others and
/// these need not be written.
package enum OrderKeys {
    /// The distance of keys that are given anew.
    package static let distance: Int64 = 1 << 20
    /// The least distance where members give up their keys to make room, so that they need not soon again.
    private static let leastDistance: Int64 = 1 << 8

    /// The keys of members in a new order, given those that they have; ascending, with as many unchanged as can be.
    ///
    /// Complexity: O(*n* log *n*).
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

    /// Members in their own order, but for some that have another one among themselves. The others follow the member that
    /// they followed; those behind all of them stay the last.
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

    /// The keys that can stay: a longest ascending subsequence.
    private static func kept(_ old: [Int64?]) -> [Int64?] {
        var result = [Int64?](repeating: nil, count: old.count)
        // Three lists for each owner whose members moved, which is a third of the time where they are arrays.
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

    /// Finds a longest ascending subsequence, from its last position on; -1 where there is none.
    ///
    /// - Parameters:
    ///   - keys: Gets the least last keys of ascending subsequences, by their lengths.
    ///   - last: Gets the positions of these.
    ///   - previous: Gets what is before each position that has a key.
    private static func longest(
        _ old: [Int64?], _ keys: UnsafeMutableBufferPointer<Int64>, _ last: UnsafeMutableBufferPointer<Int>,
        _ previous: UnsafeMutableBufferPointer<Int>
    ) -> Int {
        var count = 0
        // Where the key before went, after which the next one mostly goes.
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

    /// Gives keys to a run of members without, and to as many around it as have to make room.
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

    /// Keys between two others, or beside one; nil when there is not enough room.
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
