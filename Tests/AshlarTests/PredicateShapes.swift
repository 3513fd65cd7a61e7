import Foundation
import RandomNumbers

@testable import Ashlar

/// Predicates of Foundation of every shape that the store can answer, with random captured values.
struct PredicateShapes {
    var random: SeededGenerator

    // No two of these are canonically equal, and characters are single scalars: Foundation compares characters, and
    // the store bytes.
    private static let texts = [
        "", "a", "A", "ab", "aé", "É", "b", "abc", "a\u{10000}", "b\0", "%", "_", "\"", "'", "ß", "🙂", "a🙂b", "é",
    ]
    private static let numbers: [Double] = [-90, -1.5, -1, 0, 0.1, 1, 1.5, 2, 45, 0x1p53]
    private static let integers: [Int64] = [-3, -1, 0, 1, 2, 3, 7]
    private static let decimals = ["0", "-1", "1", "1.5", "10", "9", "-10", "0.0001"].compactMap { Decimal(string: $0) }
    private static let tokens = (0..<3 as Range<UInt8>).map {
        UUID(uuid: ($0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255 - $0))
    }
    private static let links = ["https://a.b/", "https://a.b/c"].compactMap { URL(string: $0) }
    private static let blobs = [Data(), Data([0]), Data([0, 1])]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }

    private mutating func optional<Value>(_ values: [Value]) -> Value? {
        values.isEmpty || random.oneIn(3) ? nil : pick(values)
    }

    /// Sets all properties of a sample to random values.
    mutating func fill(_ sample: Sample, among samples: [Sample], _ labels: [Label]) {
        sample.flag = random.oneIn(2)
        sample.small = optional([-2, 0, 1, 3])
        sample.count = pick(Self.integers)
        sample.price = optional(Self.decimals)
        sample.weight = optional(Self.numbers)
        sample.title = optional(Self.texts)
        sample.name = pick(Self.texts)
        sample.day = optional(Self.numbers).map { Foundation.Date(timeIntervalSinceReferenceDate: $0) }
        sample.token = optional(Self.tokens)
        sample.link = optional(Self.links)
        sample.bytes = optional(Self.blobs)
        sample.latitude = pick(Self.numbers)
        sample.mood = optional(Mood.allCases)
        sample.spot = Coordinate(altitude: optional(Self.numbers), latitude: pick(Self.numbers), longitude: 0)
        let street = pick(Self.texts)
        let position = random.oneIn(2) ? nil : sample.spot
        sample.place =
            random.oneIn(3) ? nil : PostalAddress(city: optional(Self.texts), position: position, street: street)
        sample.home = optional(labels)
        sample.parent = optional(samples)
    }

    static let count = 62

    /// A predicate of a shape, by its number.
    mutating func predicate(_ shape: Int, _ samples: [Sample]) -> Predicate<Sample> {
        switch shape {
        case 0..<14: comparison(shape)
        case 14..<27: optional(shape)
        case 27..<37: collection(shape, samples)
        case 37..<47: relationship(shape, samples)
        case 47..<55: computed(shape)
        default: text(shape)
        }
    }

    private mutating func comparison(_ shape: Int) -> Predicate<Sample> {
        let count = pick(Self.integers)
        let name = pick(Self.texts)
        let title = optional(Self.texts)
        let number = pick(Self.numbers)
        let flag = random.oneIn(2)
        let token = optional(Self.tokens)
        let link = optional(Self.links)
        let bytes = optional(Self.blobs)
        let price = optional(Self.decimals)
        let day = optional(Self.numbers).map { Foundation.Date(timeIntervalSinceReferenceDate: $0) }
        let mood = optional(Mood.allCases)
        let small = optional([Int16(-2), 0, 1])
        switch shape {
        case 0: return #Predicate { $0.count > count && $0.name != name }
        case 1: return #Predicate { $0.count <= count || $0.flag }
        case 2: return #Predicate { !($0.latitude < number) && $0.flag == flag }
        case 3: return #Predicate { $0.title == title }
        case 4: return #Predicate { $0.title != title }
        case 5: return #Predicate { $0.token == token || $0.link == link }
        case 6: return #Predicate { $0.bytes != bytes }
        case 7: return #Predicate { $0.price == price }
        case 8: return #Predicate { $0.day == day }
        case 9: return #Predicate { $0.mood == mood }
        case 10: return #Predicate { $0.name >= name && $0.name != $0.title ?? "a" }
        case 11: return #Predicate { $0.small == small }
        case 12: return #Predicate { $0.title == nil || $0.weight != nil }
        default: return #Predicate { flag || $0.count >= count }
        }
    }

    private mutating func optional(_ shape: Int) -> Predicate<Sample> {
        let count = pick(Self.integers)
        let name = pick(Self.texts)
        let number = pick(Self.numbers)
        let price = pick(Self.decimals)
        let mood = pick(Mood.allCases).rawValue
        switch shape {
        case 14: return #Predicate { ($0.weight ?? 1) < number }
        case 15: return #Predicate { $0.title?.contains(name) == true }
        case 16: return #Predicate { $0.title?.contains(name) == false }
        case 17: return #Predicate { $0.title?.contains(name) ?? true }
        case 18:
            return #Predicate {
                if let weight = $0.weight { weight > number } else { false }
            }
        case 19:
            return #Predicate {
                if let price = $0.price { price <= price + 1 && price > price - 1 } else { true }
            }
        case 20: return #Predicate { $0.price.flatMap { $0 > price } == nil }
        case 21: return #Predicate { $0.mood?.rawValue == mood }
        case 22: return #Predicate { $0.mood?.rawValue.contains("l") == true }
        case 23: return #Predicate { $0.place?.street == name || $0.place == nil }
        case 24: return #Predicate { $0.place?.position?.latitude == number && $0.place?.city != nil }
        case 25: return #Predicate { $0.spot.latitude > number || $0.spot.altitude == nil }
        default: return #Predicate { ($0.flag ? $0.count : 0) < count && !($0.title.flatMap { $0 == name } ?? false) }
        }
    }

    private mutating func collection(_ shape: Int, _ samples: [Sample]) -> Predicate<Sample> {
        let counts = [pick(Self.integers), pick(Self.integers)]
        let least = min(counts[0], counts[1])
        let most = max(counts[0], counts[1])
        let titles = [optional(Self.texts), pick(Self.texts)]
        let names: Set<String> = [pick(Self.texts), pick(Self.texts)]
        let moods: [Mood?] = [optional(Mood.allCases), .calm]
        let identifiers = [pick(samples).persistentModelID, pick(samples).persistentModelID]
        let range = least..<most
        let closed = least...most
        let values = ["a": least, "b": most]
        let number = pick(Self.numbers)
        switch shape {
        case 27: return #Predicate { counts.contains($0.count) }
        case 28: return #Predicate { titles.contains($0.title) && names.contains($0.name) == false }
        case 29: return #Predicate { moods.contains($0.mood) }
        case 30: return #Predicate { identifiers.contains($0.persistentModelID) }
        case 31: return #Predicate { range.contains($0.count) || !closed.contains($0.count) }
        case 32:
            return #Predicate { (least...most).contains($0.count) && (0.0..<number.magnitude).contains($0.latitude) }
        case 33: return #Predicate { sample in names.contains { $0 == sample.name } }
        case 34: return #Predicate { sample in counts.allSatisfy { $0 < sample.count } }
        case 35: return #Predicate { sample in counts.filter { $0 > sample.count }.count == 1 }
        default: return #Predicate { (values[$0.name] ?? -1) == $0.count || values[$0.name, default: 0] > 0 }
        }
    }

    private mutating func relationship(_ shape: Int, _ samples: [Sample]) -> Predicate<Sample> {
        let count = pick(Self.integers)
        let name = pick(Self.texts)
        let identifier = optional(samples)?.persistentModelID
        switch shape {
        case 37: return #Predicate { $0.parent?.name == name }
        case 38: return #Predicate { $0.parent?.parent?.title != nil || $0.home == nil }
        case 39: return #Predicate { $0.parent?.persistentModelID == identifier }
        case 40: return #Predicate { $0.children.contains { $0.count == count } }
        case 41: return #Predicate { $0.children.allSatisfy { $0.count < count } && !$0.children.isEmpty }
        case 42: return #Predicate { $0.children.count > 1 || $0.parent?.children.count == 1 }
        case 43: return #Predicate { sample in sample.children.filter { $0.count > sample.count }.count == 1 }
        case 44:
            return #Predicate { sample in
                sample.parent.flatMap { parent in parent.children.contains { $0.count < sample.count } } ?? true
            }
        case 45: return #Predicate { $0.home?.name.isEmpty == false }
        default:
            return #Predicate { sample in sample.children.contains { $0.children.contains { $0.name == sample.name } } }
        }
    }

    private mutating func computed(_ shape: Int) -> Predicate<Sample> {
        let count = pick(Self.integers)
        let divisor = pick([-3, 2, 7] as [Int64])
        let number = pick(Self.numbers)
        let price = pick(Self.decimals)
        let since = pick(Self.numbers) + 978_307_200
        switch shape {
        case 47: return #Predicate { $0.count + 1 > count * 2 }
        case 48: return #Predicate { -$0.count == count }
        case 49: return #Predicate { $0.count / divisor == count / divisor }
        case 50: return #Predicate { $0.count % divisor == count % divisor }
        case 51: return #Predicate { $0.latitude / 2.0 <= number - 1 }
        case 52: return #Predicate { ($0.price ?? 0) * 2 - 1 > price }
        case 53: return #Predicate { ($0.day?.timeIntervalSince1970 ?? 0) > since }
        default: return #Predicate { $0.name.count > 1 && !$0.name.isEmpty }
        }
    }

    private mutating func text(_ shape: Int) -> Predicate<Sample> {
        let name = pick(Self.texts)
        switch shape {
        case 55: return #Predicate { $0.name.contains(name) }
        case 56: return #Predicate { $0.name.starts(with: name) }
        case 57: return #Predicate { $0.name.localizedStandardContains(name) }
        case 58:
            let same = ComparisonResult.orderedSame.rawValue
            return #Predicate { $0.name.caseInsensitiveCompare(name).rawValue == same }
        case 59:
            let before = ComparisonResult.orderedAscending.rawValue
            return #Predicate { $0.name.localizedCompare(name).rawValue == before }
        case 60:
            let regex = /[a-bé]+/
            return #Predicate { $0.name.contains(regex) }
        default: return #Predicate { $0.title?.localizedStandardContains(name) == true && $0.name < name }
        }
    }
}
