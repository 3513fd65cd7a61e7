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

    /// The keys that can stay: a longest ascending subsequence.
    private static func kept(_ old: [Int64?]) -> [Int64?] {
        // The least last keys of ascending subsequences, by their lengths, and their positions, and what is before each position.
        var keys: [Int64] = []
        var last: [Int] = []
        var previous = [Int](repeating: -1, count: old.count)
        // Where the key before went, after which the next one mostly goes.
        var next = 0
        for (position, key) in old.enumerated() {
            guard let key else { continue }
            if next > 0 && keys[next - 1] >= key || next < keys.count && keys[next] < key {
                var (low, high) = (0, keys.count)
                while low < high {
                    let middle = (low + high) / 2
                    if keys[middle] < key { low = middle + 1 } else { high = middle }
                }
                next = low
            }
            if next > 0 { previous[position] = last[next - 1] }
            if next == last.count {
                keys.append(key)
                last.append(position)
            } else {
                (keys[next], last[next]) = (key, position)
            }
            next += 1
        }
        var result = [Int64?](repeating: nil, count: old.count)
        var position = last.last ?? -1
        while position >= 0 {
            result[position] = old[position]
            position = previous[position]
        }
        return result
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
