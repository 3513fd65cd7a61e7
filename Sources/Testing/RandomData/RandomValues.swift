import Ashlar
import AshlarSQLite
import DataModel
import Foundation
import RandomNumbers

/// The reason for which an attribute cannot have a random value.
package struct NoLegalValue: Error, CustomStringConvertible {
    package var attribute: String
    package var reason: String

    package init(attribute: String, reason: String) {
        self.attribute = attribute
        self.reason = reason
    }

    package var description: String { "no legal value of \(attribute) can be made: \(reason)" }
}

/// Random values that an attribute allows, as its column holds them.
package struct RandomValues {
    package var generator: SeededGenerator
    /// Makes the archive of a transformable attribute's value.
    private let archive: (ArchivedValue) throws -> Data

    package init(generator: SeededGenerator, archive: @escaping (ArchivedValue) throws -> Data) {
        self.generator = generator
        self.archive = archive
    }

    /// A value within the bounds that the model sets; never NULL. Throws ``NoLegalValue``.
    package mutating func value(of attribute: Attribute) throws -> SQLiteValue {
        switch attribute.type {
        case .integer16: integer(attribute, Int64(Int16.min)...Int64(Int16.max))
        case .integer32: integer(attribute, Int64(Int32.min)...Int64(Int32.max))
        case .integer64: integer(attribute, .min ... .max)
        case .boolean: .integer(generator.oneIn(2) ? 1 : 0)
        case .double: .real(real(attribute))
        case .float: .real(Double(Float(real(attribute))))
        case .date: .real(date(attribute))
        case .decimal: .text((Decimal(Int64(clamping: real(attribute) * 100)) / 100).description)
        case .string: .text(try text(attribute))
        case .uri: .text("https://example.org/\(Int.random(in: 0...1_000_000, using: &generator))?q=%20#f")
        case .uuid: .blob(bytes(16))
        case .binary: .blob(bytes(Int.random(in: 0...40, using: &generator)))
        case .transformable: .blob(try archive(archivedValue(of: attribute)))
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
        case "NSUUID", "UUID": return .uuid(uuid())
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

    private mutating func uuid() -> UUID {
        var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)).uuid
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes(16)) }
        return UUID(uuid: uuid)
    }

    // MARK: Values with bounds

    private static func bound(_ text: String?) -> Double? {
        text.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    }

    private mutating func integer(_ attribute: Attribute, _ all: ClosedRange<Int64>) -> SQLiteValue {
        func whole(_ text: String?, _ rule: FloatingPointRoundingRule) -> Int64? {
            text.flatMap { Int64($0) } ?? Self.bound(text).map { Int64(clamping: $0.rounded(rule)) }
        }
        let least = max(whole(attribute.minimumValue, .up) ?? all.lowerBound, all.lowerBound)
        let greatest = max(min(whole(attribute.maximumValue, .down) ?? all.upperBound, all.upperBound), least)
        return switch Int.random(in: 0..<8, using: &generator) {
        case 0: .integer(least)
        case 1: .integer(greatest)
        default: .integer(Int64.random(in: least...greatest, using: &generator))
        }
    }

    private mutating func real(_ attribute: Attribute) -> Double {
        let least = Self.bound(attribute.minimumValue) ?? min(-1e6, Self.bound(attribute.maximumValue) ?? 0)
        let greatest = max(least, Self.bound(attribute.maximumValue) ?? max(least, 0) + 1e6)
        // Quarters are exact in single precision and in decimal numbers.
        let first = (least * 4).rounded(.up)
        let last = (greatest * 4).rounded(.down)
        // Between two quarters, or beyond them, only the bounds themselves are surely legal.
        if first > last || !last.isFinite || max(abs(first), abs(last)) > 0x1p52 { return least }
        return Double.random(in: first...last, using: &generator).rounded(.towardZero) / 4
    }

    private mutating func date(_ attribute: Attribute) -> Double {
        let bound = Self.bound(attribute.maximumDateTimeInterval ?? attribute.maximumValue)
        let least = Self.bound(attribute.minimumDateTimeInterval ?? attribute.minimumValue) ?? min(-1e9, bound ?? 0)
        let greatest = max(least, bound ?? max(least, 0) + 1e9)
        return (greatest - least).isFinite ? Double.random(in: least...greatest, using: &generator) : least
    }

    private mutating func text(_ attribute: Attribute) throws -> String {
        func length(_ text: String?) -> Int? { Self.bound(text).map { Int(clamping: Int64(clamping: $0.rounded())) } }
        let least = max(0, length(attribute.minimumValue) ?? 0)
        let greatest = max(least, length(attribute.maximumValue) ?? least + 24)
        if let pattern = attribute.regularExpression, !pattern.isEmpty {
            return try text(matching: pattern, lengths: least...greatest, attribute)
        }
        let count = Int.random(in: least...min(greatest, least + 200), using: &generator)
        var result = ""
        while result.utf16.count < count {
            let character = Self.characters[Int.random(in: Self.characters.indices, using: &generator)]
            if result.utf16.count + character.utf16.count <= count { result += character }
        }
        return result
    }

    private mutating func text(
        matching pattern: String, lengths: ClosedRange<Int>, _ attribute: Attribute
    ) throws -> String {
        let expression = try? NSRegularExpression(pattern: pattern)
        if let parsed = PatternText(pattern) {
            for _ in 0..<50 {
                guard let text = parsed.text(&generator) else { continue }
                let whole = NSRange(text.startIndex..., in: text)
                if lengths.contains(text.utf16.count),
                    expression?.firstMatch(in: text, options: [.anchored], range: whole)?.range == whole
                {
                    return text
                }
            }
        }
        // The author of the pattern wrote a default that matches it, if any.
        guard let value = attribute.defaultValueString else {
            throw NoLegalValue(attribute: attribute.name, reason: "it must match \(pattern)")
        }
        return value
    }

    private static let characters = [
        "a", "b", "Z", "0", " ", "ä", "ß", "é", "e\u{301}", "日", "本", "ع", "🦁", "👩‍👩‍👧‍👦", "'", "\"", "\\", "%", "_", "\n",
        "\0", ";",
    ]
}

extension Int64 {
    /// The whole part of a finite number, or the bound that is next to it.
    init(clamping number: Double) {
        self = number >= 0x1p63 ? .max : number < -0x1p63 ? .min : Int64(number)
    }
}
