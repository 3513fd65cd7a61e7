import DataModel
import Foundation

@testable import Ashlar

/// Random numbers that a seed decides (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True once in so many times.
    mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}

/// Why an attribute can be given no random value.
struct NoLegalValue: Error, CustomStringConvertible {
    var attribute: String
    var reason: String

    var description: String { "no legal value of \(attribute) can be made: \(reason)" }
}

/// Random values that an attribute allows, as its column holds them.
struct RandomValues {
    var generator: SeededGenerator

    /// A value within the bounds that the model sets; never NULL.
    mutating func value(of attribute: Attribute) throws -> SQLiteValue {
        switch attribute.type {
        case .integer16: integer(attribute, Int64(Int16.min)...Int64(Int16.max))
        case .integer32: integer(attribute, Int64(Int32.min)...Int64(Int32.max))
        case .integer64: integer(attribute, .min ... .max)
        case .boolean: .integer(generator.oneIn(2) ? 1 : 0)
        case .double: .real(real(attribute))
        case .float: .real(Double(Float(real(attribute))))
        case .date: .real(date(attribute))
        case .decimal: .text(DecimalText.text(Decimal(Int(real(attribute) * 100)) / 100))
        case .string: .text(try text(attribute))
        case .uri: .text("https://example.org/\(Int.random(in: 0...1_000_000, using: &generator))?q=%20#f")
        case .uuid: .blob(bytes(16))
        case .binary: .blob(bytes(Int.random(in: 0...40, using: &generator)))
        case .transformable: .blob(try KeyedArchive.data(from: archivedValue(of: attribute)))
        case .undefined, .composite, .objectID:
            throw NoLegalValue(attribute: attribute.name, reason: "its type is \(attribute.type.rawValue)")
        }
    }

    /// A value of the class that the model names, as an archive holds it.
    private mutating func archivedValue(of attribute: Attribute) -> ArchivedValue {
        let name = (attribute.customClassName ?? "").replacing("NSMutable", with: "NS")
        let number = Int64.random(in: 0...1000, using: &generator)
        switch name {
        case "NSDictionary": return .dictionary(["key": .integer(number)])
        case "NSArray": return .array([.integer(number)])
        case "NSSet": return .set([.integer(number)])
        case "NSNumber", "Int", "Int64": return .integer(number)
        case "NSDate", "Date": return .date(Date(timeIntervalSinceReferenceDate: Double(number)))
        case "NSURL", "URL": return URL(string: "https://example.org/\(number)").map { .url($0) } ?? .null
        case "NSUUID", "UUID": return .uuid(UUID())
        case "NSData", "Data": return .data(bytes(5))
        default:
            // Of collections whose elements have a type, an empty one is always legal.
            if name.hasPrefix("Dictionary<") || name.hasPrefix("[") && name.contains(":") { return .dictionary([:]) }
            if name.hasPrefix("Set<") || name.hasPrefix("NSSet<") { return .set([]) }
            if name.hasPrefix("Array<") || name.hasPrefix("[") || name.hasPrefix("NSArray<") { return .array([]) }
            return .string("value \(number)")
        }
    }

    private mutating func bytes(_ count: Int) -> Data {
        Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    private mutating func integer(_ attribute: Attribute, _ all: ClosedRange<Int64>) -> SQLiteValue {
        let least = attribute.minimumValue.flatMap { Double($0) }.map { Int64($0) } ?? all.lowerBound
        let greatest = attribute.maximumValue.flatMap { Double($0) }.map { Int64($0) } ?? all.upperBound
        return switch Int.random(in: 0..<8, using: &generator) {
        case 0: .integer(least)
        case 1: .integer(greatest)
        default: .integer(Int64.random(in: least...greatest, using: &generator))
        }
    }

    private mutating func real(_ attribute: Attribute) -> Double {
        let least = attribute.minimumValue.flatMap { Double($0) } ?? -1e6
        let greatest = max(least, attribute.maximumValue.flatMap { Double($0) } ?? max(least, 0) + 1e6)
        // Quarters are exact in single precision and in decimal numbers.
        let quarters = (least * 4).rounded(.up)...max((least * 4).rounded(.up), (greatest * 4).rounded(.down))
        return Double(Int64(Double.random(in: quarters, using: &generator))) / 4
    }

    private mutating func date(_ attribute: Attribute) -> Double {
        let least = (attribute.minimumDateTimeInterval ?? attribute.minimumValue).flatMap { Double($0) } ?? -1e9
        let bound = (attribute.maximumDateTimeInterval ?? attribute.maximumValue).flatMap { Double($0) }
        return Double.random(in: least...max(least, bound ?? max(least, 0) + 1e9), using: &generator)
    }

    private mutating func text(_ attribute: Attribute) throws -> String {
        if let pattern = attribute.regularExpression, !pattern.isEmpty {
            // Whoever wrote the pattern wrote a default that matches it, if any.
            guard let value = attribute.defaultValueString else {
                throw NoLegalValue(attribute: attribute.name, reason: "it must match \(pattern)")
            }
            return value
        }
        let least = attribute.minimumValue.flatMap { Double($0) }.map { Int($0) } ?? 0
        let greatest = max(least, attribute.maximumValue.flatMap { Double($0) }.map { Int($0) } ?? least + 24)
        let count = Int.random(in: least...greatest, using: &generator)
        var result = ""
        while result.utf16.count < count {
            let character = Self.characters[Int.random(in: Self.characters.indices, using: &generator)]
            if result.utf16.count + character.utf16.count <= count { result += character }
        }
        return result
    }

    private static let characters = [
        "a", "b", "Z", "0", " ", "ä", "ß", "é", "e\u{301}", "日", "本", "ع", "🦁", "👩‍👩‍👧‍👦", "'", "\"", "\\", "%", "_", "\n",
        "\0", ";",
    ]
}
