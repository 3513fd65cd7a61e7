import Foundation
import RandomNumbers

@testable import Ashlar

/// Random samples and random conditions on them, of few values each, so that many are equal.
struct RandomConditions {
    var random: SeededGenerator

    static let texts: [String] = [
        "", "a", "A", "ab", "aé", "ae\u{301}", "a\u{FFFF}", "a\u{10000}", "\u{10FFFF}", "b\0", "\0", "%", "_", "\"",
        "'", "ß", "🙂",
        "ab\0c", "é",
    ]
    private static let numbers: [Double] = [
        -.infinity, -1e300, -180, -90, -1.5, -1, 0, 0.1, 1, 1.5, 2, 45, 90, 0x1p53, 0x1p63, 1e300, .infinity,
    ]
    private static let integers: [Int64] = [.min, -3, -1, 0, 1, 2, 3, 1 << 53, 1 << 53 + 1, .max]
    private static let decimals = [
        "0", "-1", "1", "1.5", "1.50", "10", "9", "-10", "0.0001", "12345678901234567890.5", "-0.1",
    ]
    .compactMap { Decimal(string: $0) }
    private static let tokens = (0..<4 as Range<UInt8>).map {
        UUID(uuid: ($0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255 - $0))
    }
    private static let links = ["https://a.b/", "https://a.b/c", "file:///"].compactMap { URL(string: $0) }
    private static let blobs = [Data(), Data([0]), Data([0, 1]), Data([255]), Data("a".utf8)]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }

    private mutating func optional<Value>(_ values: [Value]) -> Value? {
        values.isEmpty || random.oneIn(4) ? nil : pick(values)
    }

    private mutating func date() -> Date { Date(timeIntervalSinceReferenceDate: pick(Self.numbers)) }

    private mutating func coordinate() -> Coordinate {
        Coordinate(altitude: optional(Self.numbers), latitude: pick(Self.numbers), longitude: pick(Self.numbers))
    }

    private mutating func address() -> PostalAddress {
        PostalAddress(
            city: optional(Self.texts), mood: optional(Mood.allCases), position: random.oneIn(3) ? nil : coordinate(),
            price: optional(Self.decimals), street: pick(Self.texts))
    }

    /// Sets some properties of a sample to random values.
    mutating func change(_ sample: Sample, among samples: [Sample], _ labels: [Label]) {
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            switch Int.random(in: 0..<20, using: &random) {
            case 15: sample.place = random.oneIn(3) ? nil : address()
            case 16: sample.spot = coordinate()
            case 17: sample.spot.altitude = optional(Self.numbers)
            case 18: sample.place?.street = pick(Self.texts)
            case 19: sample.place?.position?.latitude = pick(Self.numbers)
            case 0: sample.flag.toggle()
            case 1: sample.small = optional([.min, -1, 0, 1, .max])
            case 2: sample.count = pick(Self.integers)
            case 3: sample.price = optional(Self.decimals)
            case 4: sample.weight = optional(Self.numbers)
            case 5: sample.title = optional(Self.texts)
            case 6: sample.name = pick(Self.texts)
            case 7: sample.day = random.oneIn(4) ? nil : date()
            case 8: sample.token = optional(Self.tokens)
            case 9: sample.link = optional(Self.links)
            case 10: sample.bytes = optional(Self.blobs)
            case 11: sample.latitude = pick(Self.numbers)
            case 12: sample.longitude = pick(Self.numbers)
            case 13: sample.mood = optional(Mood.allCases)
            default:
                sample.home = optional(labels)
                sample.parent = optional(samples)
            }
        }
    }

    /// A random condition, with at most so many levels of operators.
    mutating func condition(_ columns: Columns<Sample>, depth: Int, _ samples: [Sample], _ labels: [Label]) -> Condition
    {
        if depth > 0, !random.oneIn(4) {
            let left = condition(columns, depth: depth - 1, samples, labels)
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1: return left && condition(columns, depth: depth - 1, samples, labels)
            case 2, 3: return left || condition(columns, depth: depth - 1, samples, labels)
            default: return !left
            }
        }
        switch Int.random(in: 0..<15, using: &random) {
        case 5: return leaf(columns)
        case 6: return leaf(columns.parent)
        case 0: return relationship(columns, samples, labels)
        case 9: return computed(columns)
        case 10: return textual(columns)
        case 11: return textual(columns.parent)
        case 12 where depth > 0: return related(columns, depth: depth, samples, labels)
        case 1: return box(columns)
        case 2: return attribute(columns.parent)
        case 3: return attribute(columns.parent.parent)
        case 4: return text(columns.home.name)
        default: return attribute(columns)
        }
    }

    private mutating func relationship(_ columns: Columns<Sample>, _ samples: [Sample], _ labels: [Label]) -> Condition
    {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: columns == pick(samples)
        case 1: columns.parent == optional(samples)
        case 2: columns.parent != optional(samples)
        case 3: columns.home == optional(labels)
        case 4: columns.home != optional(labels)
        case 5: columns.parent.home == optional(labels)
        case 6: columns.parent.parent != nil
        default: columns.parent.isIn([pick(samples).persistentModelID, pick(samples).persistentModelID])
        }
    }

    private mutating func box(_ columns: Columns<Sample>) -> Condition {
        func ordered(_ first: Double, _ second: Double) -> ClosedRange<Double> {
            min(first, second)...max(first, second)
        }
        let latitude = ordered(pick(Self.numbers), pick(Self.numbers))
        let longitude = ordered(pick(Self.numbers), pick(Self.numbers))
        return random.oneIn(2)
            ? columns.byPlace(latitude: latitude, longitude: longitude)
            : columns.bySpot(spotLatitude: latitude, spotLongitude: longitude)
    }

    private mutating func leaf(_ columns: Columns<Sample>) -> Condition {
        switch Int.random(in: 0..<11, using: &random) {
        case 0: columns.place == nil
        case 1: columns.place != nil
        case 2: columns.place.position == nil
        case 3: columns.place.position != nil
        case 4: text(columns.place.street)
        case 5: text(columns.place.city)
        case 6: compare(columns.place.price, optional(Self.decimals))
        case 7: columns.place.mood.isIn([optional(Mood.allCases)])
        case 8: compare(columns.place.position.latitude, optional(Self.numbers))
        case 9: compare(columns.spot.latitude, pick(Self.numbers))
        default: compare(columns.spot.altitude, optional(Self.numbers))
        }
    }

    private mutating func attribute(_ columns: Columns<Sample>) -> Condition {
        switch Int.random(in: 0..<14, using: &random) {
        case 0: columns.flag.isTrue
        case 1:
            random.oneIn(2)
                ? columns.small == optional([-1, 0, 1])
                : compare(columns.small, Int16.random(in: -2...2, using: &random))
        case 2:
            random.oneIn(3)
                ? columns.count.isIn([pick(Self.integers), 0, 1]) : compare(columns.count, pick(Self.integers))
        case 3:
            random.oneIn(3)
                ? columns.price.isIn([optional(Self.decimals), 1]) : compare(columns.price, optional(Self.decimals))
        case 4: compare(columns.weight, optional(Self.numbers))
        case 5: text(columns.title)
        case 6: text(columns.name)
        case 7: compare(columns.day, random.oneIn(4) ? nil : date())
        case 8:
            random.oneIn(2)
                ? columns.token.isIn([optional(Self.tokens)]) : compare(columns.token, optional(Self.tokens))
        case 9: compare(columns.link, optional(Self.links))
        case 10:
            random.oneIn(2)
                ? columns.bytes.isIn([pick(Self.blobs), nil]) : compare(columns.bytes, optional(Self.blobs))
        case 11: columns.mood.isIn([optional(Mood.allCases)])
        case 12: columns.latitude.isIn(-1.5...pick([-1, 1, 90]))
        default: columns.count.isIn(0..<pick([0, 2, .max]))
        }
    }

    mutating func compare<Value>(_ column: Column<Value>, _ value: Value) -> Condition {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: column == value
        case 1: column != value
        case 2: column < value
        case 3: column <= value
        case 4: column > value
        default: column >= value
        }
    }

    private mutating func text(_ column: Column<String>) -> Condition {
        let text = pick(Self.texts)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return column.hasPrefix(text)
        case 1: return column.hasSuffix(text)
        case 2: return column.contains(text)
        case 3: return column.isIn([text, pick(Self.texts)])
        default: return compare(column, text)
        }
    }

    private mutating func text(_ column: Column<String?>) -> Condition {
        let text = pick(Self.texts)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return column.hasPrefix(text)
        case 1: return column.hasSuffix(text)
        case 2: return column.contains(text)
        case 3: return column.isIn([text, optional(Self.texts)])
        default: return compare(column, optional(Self.texts))
        }
    }

    /// Up to three random orders. They may leave samples equal.
    mutating func orders(_ columns: Columns<Sample>) -> [ColumnOrder] {
        let all = [
            columns.flag.ascending, columns.small.descending, columns.count.ascending, columns.price.ascending,
            columns.price.descending, columns.weight.descending, columns.title.ascending, columns.title.descending,
            columns.name.ascending, columns.day.ascending, columns.token.descending, columns.link.ascending,
            columns.bytes.ascending, columns.latitude.descending, columns.mood.ascending, columns.home.name.ascending,
            columns.place.street.ascending, columns.place.price.descending, columns.spot.latitude.ascending,
            columns.parent.place.position.altitude.descending, columns.parent.price.descending,
            columns.parent.parent.title.ascending,
            columns.children.count.descending, (columns.price * 2).ascending, columns.title.lowercased().descending,
            columns.children.max { $0.price }.ascending, (columns.title ?? columns.name).ascending,
        ]
        return (0..<Int.random(in: 0...3, using: &random)).map { _ in pick(all) }
    }
}
