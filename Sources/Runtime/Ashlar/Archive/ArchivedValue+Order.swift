import SystemFoundation

/// An order of all values, so that the same set or dictionary is always archived as the same bytes.
extension ArchivedValue {
    static func precedes(_ left: ArchivedValue, _ right: ArchivedValue) -> Bool { compare(left, right) < 0 }

    private static func compare(_ left: ArchivedValue, _ right: ArchivedValue) -> Int {
        switch (left, right) {
        case (.boolean(let first), .boolean(let second)): (first ? 1 : 0) - (second ? 1 : 0)
        case (.integer(let first), .integer(let second)): compare(first, second)
        case (.real(let first), .real(let second)): compare(first, second)
        case (.string(let first), .string(let second)): compareAll(first.utf8, second.utf8, compare)
        case (.data(let first), .data(let second)): compareAll(first, second, compare)
        case (.date(let first), .date(let second)): compare(first, second)
        case (.url(let first), .url(let second)):
            compareAll(first.absoluteString.utf8, second.absoluteString.utf8, compare)
        case (.uuid(let first), .uuid(let second)):
            compareAll(first.uuidString.utf8, second.uuidString.utf8, compare)
        case (.array(let first), .array(let second)): compareAll(first, second, compare)
        case (.set(let first), .set(let second)):
            compareAll(first.sorted(by: precedes), second.sorted(by: precedes), compare)
        case (.dictionary(let first), .dictionary(let second)):
            compareAll(flattened(first), flattened(second), compare)
        default: left.rank - right.rank
        }
    }

    private static func flattened(_ dictionary: [ArchivedValue: ArchivedValue]) -> [ArchivedValue] {
        dictionary.sorted { precedes($0.key, $1.key) }.flatMap { [$0.key, $0.value] }
    }

    private static func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left < right ? -1 : (right < left ? 1 : 0)
    }

    private static func compareAll<Values: Sequence>(
        _ left: Values, _ right: Values, _ compare: (Values.Element, Values.Element) -> Int
    ) -> Int {
        var second = right.makeIterator()
        for value in left {
            guard let other = second.next() else { return 1 }
            let order = compare(value, other)
            if order != 0 { return order }
        }
        return second.next() == nil ? 0 : -1
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .boolean: 1
        case .integer: 2
        case .real: 3
        case .string: 4
        case .data: 5
        case .date: 6
        case .url: 7
        case .uuid: 8
        case .array: 9
        case .dictionary: 10
        case .set: 11
        }
    }
}
