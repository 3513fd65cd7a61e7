import Foundation
import RandomNumbers

@testable import Ashlar

/// Conditions with computed values and with relationships to many.
extension RandomConditions {
    private static let patterns = [
        "*", "?", "a*", "*b", "*?", "a?", "\\*", "*\\?*", "??", "*a*", "%", "_", "A*", "é", "e?", "*\0*", "",
    ]
    private static let expressions = ["a.*", "[ab]", ".", "a|ab", "(?s).*", "^a$", "\\Qa\\E.?", "b\0", ""]

    private mutating func options() -> TextOptions {
        pick([
            [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive], .localizedStandard,
        ])
    }

    mutating func computed(_ columns: Columns<Sample>) -> Condition {
        switch Int.random(in: 0..<14, using: &random) {
        case 0: compare(wholeNumber(columns), pick([.min, -1, 0, 1, 2, 6, .max]))
        case 1: compare(realNumber(columns), pick([nil, -1, 0, 0.5, 3, 1e300]))
        case 2: compare(decimalNumber(columns), pick([nil, 0, 1, 2.5, -10, 15]))
        case 3: columns.weight.compareAtRandom(&random, columns.latitude.optional)
        case 4: columns.title.compareAtRandom(&random, columns.name.optional)
        case 5: compare(columns.day.addingTimeInterval(1), Date(timeIntervalSinceReferenceDate: 2))
        case 6: compare(columns.day.timeIntervalSince(columns.parent.day), pick([nil, 0, 1]))
        case 7: compare((columns.title ?? columns.name).count, pick([0, 1, 2]))
        case 8: compare(columns.title.count, pick([nil, 0, 1, 2]))
        case 9: compare(columns.flag.isTrue.then(columns.title, else: columns.name.optional), pick([nil, "", "a"]))
        case 10: compare((columns.count > columns.parent.count).then(columns.count, else: 0), 0)
        case 11: (columns.price ?? columns.parent.price ?? 1) > 1
        case 12: columns.parent == columns || columns.parent.parent != columns.parent
        default: columns.is(Sample.self) && columns.parent.is(Sample.self)
        }
    }

    private mutating func wholeNumber(_ columns: Columns<Sample>) -> Column<Int64> {
        switch Int.random(in: 0..<7, using: &random) {
        case 0: columns.count + 1
        case 1: columns.count - columns.parent.count
        case 2: columns.count * 2
        case 3: columns.count / pick([-1, 0, 2])
        case 4: -columns.count
        case 5: columns.count % pick([-1, 0, 3])
        default: abs(max(columns.count, columns.parent.count))
        }
    }

    private mutating func realNumber(_ columns: Columns<Sample>) -> Column<Double?> {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: columns.weight + 0.1
        case 1: columns.weight * columns.weight
        case 2: columns.weight / 3
        case 3: columns.weight.rounded(pick([.up, .down, .towardZero, .toNearestOrEven, .toNearestOrAwayFromZero]))
        case 4: columns.weight.squareRoot()
        case 5: min(columns.weight, columns.parent.weight)
        case 6: columns.weight % 1.5
        default: (columns.latitude - columns.longitude).optional
        }
    }

    private mutating func decimalNumber(_ columns: Columns<Sample>) -> Column<Decimal?> {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: columns.price + 1
        case 1: columns.price * columns.parent.price
        case 2: columns.price / 3
        case 3: columns.price.rounded(pick([.up, .down, .towardZero, .toNearestOrEven, .toNearestOrAwayFromZero]))
        case 4: -columns.price
        case 5: max(columns.price, columns.parent.price)
        case 6: columns.price % 2
        default: columns.children.sum { $0.price }.optional
        }
    }

    mutating func textual(_ columns: Columns<Sample>) -> Condition {
        let text = pick(RandomConditions.texts)
        let options = options()
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return columns.title.contains(text, options: options)
        case 1: return columns.name.hasPrefix(text, options: options)
        case 2: return columns.title.hasSuffix(text, options: options)
        case 3: return columns.name.isEqual(to: text, options: options)
        case 4: return columns.title.isLike(pick(Self.patterns), options: options)
        case 5: return columns.name.isLike(pick(Self.patterns), options: options)
        case 6: return columns.title.matches(pick(Self.expressions), options: options)
        case 7: return columns.name.contains(columns.title, options: options)
        case 8: return columns.name.hasPrefix(columns.parent.name, options: options)
        case 9: return compare(columns.name.folding(options), text)
        case 10: return random.oneIn(2) ? columns.name.lowercased() == text : columns.title.uppercased() == text
        default: return columns.name.isEmpty || columns.title.localizedStandardContains(text)
        }
    }

    /// A condition about the children of a sample, or of its parent.
    mutating func related(_ columns: Columns<Sample>, depth: Int, _ samples: [Sample], _ labels: [Label]) -> Condition {
        let children = random.oneIn(3) ? columns.parent.children : columns.children
        let inner = { (random: inout RandomConditions, child: Columns<Sample>) -> Condition in
            random.random.oneIn(3)
                ? child.count.compareAtRandom(&random.random, columns.count)
                : random.condition(child, depth: max(0, depth - 2), samples, labels)
        }
        var copy = self
        defer { self = copy }
        switch Int.random(in: 0..<10, using: &copy.random) {
        case 0: return children.contains { inner(&copy, $0) }
        case 1: return children.allSatisfy { inner(&copy, $0) }
        case 2: return copy.compare(children.count, copy.pick([0, 1, 2]))
        case 3: return copy.compare(children.count { inner(&copy, $0) }, copy.pick([0, 1, 2]))
        case 4: return copy.compare(children.sum { $0.count }, copy.pick([0, 1, 3]))
        case 5: return copy.compare(children.average { $0.weight }, copy.pick([nil, 0, 1]))
        case 6: return copy.compare(children.min { $0.price }, copy.pick([nil, 0, 1.5]))
        case 7: return copy.compare(children.max { $0.name }, copy.pick([nil, "a", "é"]))
        case 8: return children.filter { inner(&copy, $0) }.isEmpty
        default: return children.contains(copy.pick(samples)) || children.contains(columns.parent)
        }
    }
}

extension Column {
    /// A comparison with another column by a random operator.
    func compareAtRandom(_ random: inout SeededGenerator, _ other: Column) -> Condition {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: self == other
        case 1: self != other
        case 2: self < other
        case 3: self <= other
        case 4: self > other
        default: self >= other
        }
    }
}
