import Ashlar
import DataModel
import Foundation
import RandomData
import RandomNumbers
import RandomSeeds
import Testing

@testable import AshlarTesting

/// Values within bounds, whatever the bounds are.
@Suite struct RandomValuesTests {
    private var random = RandomValues(generator: SeededGenerator(seed: 1)) { _ in Data() }

    private static let bounds: [String?] = [
        nil, "0", "-1", "1", "0.1", "0.2", "100", "-32768", "32767", "1e18", "9223372036854775807",
        "-9223372036854775808", "1e30", "-1e30", "1e308", "-1e308", "inf", "nan", "x", "",
    ]

    @Test mutating func noBoundsStopIt() throws {
        for type in DataModel.AttributeType.allCases where type != .composite && type != .undefined && type != .objectID
        {
            for least in Self.bounds {
                for greatest in Self.bounds {
                    // A text of that length is legal, but takes long.
                    if type == .string, (least.flatMap { Double($0) } ?? 0) > 1000 { continue }
                    var attribute = Attribute(name: "a", type: type, minimumValue: least, maximumValue: greatest)
                    if type == .date {
                        attribute.minimumDateTimeInterval = least
                        attribute.maximumDateTimeInterval = greatest
                    }
                    for _ in 0..<20 { try expectLegal(random.value(of: attribute), attribute) }
                }
            }
        }
    }

    private func expectLegal(_ value: SQLiteValue, _ attribute: Attribute) {
        func bound(_ text: String?) -> Double? { text.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil } }
        var (least, greatest) = (bound(attribute.minimumValue), bound(attribute.maximumValue))
        // Lengths are rounded, as the program does.
        if attribute.type == .string { (least, greatest) = (least?.rounded(), greatest?.rounded()) }
        if let least, let greatest, least > greatest { return }
        let number: Double
        switch value {
        case .integer(let integer): number = Double(integer)
        case .real(let real): number = attribute.type == .float ? Double(Float(real)) : real
        case .text(let text) where attribute.type == .decimal: number = Double(text) ?? .nan
        case .text(let text) where attribute.type == .string: number = Double(text.utf16.count)
        default: return
        }
        // Without a number within the bounds, no value can be chosen.
        if attribute.type.rawValue.hasPrefix("Integer") || attribute.type == .string {
            let whole = (least ?? -.infinity).rounded(.up)
            if whole > (greatest ?? .infinity) || abs(least ?? 0) > 30_000 || abs(greatest ?? 0) > 30_000 { return }
        }
        if attribute.type == .decimal, max(abs(least ?? 0), abs(greatest ?? 0)) > 1e15 { return }
        if attribute.type == .float, max(abs(least ?? 0), abs(greatest ?? 0)) > 1e6 { return }
        if attribute.type == .boolean || attribute.type == .uri { return }
        if attribute.type == .string, least ?? 0 < 0 || greatest ?? 0 < 0 { return }
        if let least { #expect(number >= least - 0.05, "\(attribute.type) \(least)") }
        if let greatest { #expect(number <= greatest + 0.05, "\(attribute.type) \(greatest)") }
    }

    // MARK: Regular expressions

    @Test(arguments: [
        "[A-Z]{2}|[A-Z]{2}[0-9]+", "^[^@]+@[a-z0-9.-]+\\.[a-z]{2,4}$", "\\d{3}-\\d{2}", "(?:ab|cd)*e?", "a.c",
        "[^abc]{5}",
        "\\+?[0-9 ()]{3,}", "[\\w-]+", "x{2,}", "(a|b|)c",
    ])
    mutating func textsMatch(_ pattern: String) throws {
        let attribute = Attribute(name: "a", type: .string, regularExpression: pattern)
        let expression = try NSRegularExpression(pattern: pattern)
        var texts: Set<String> = []
        for _ in 0..<50 {
            guard case .text(let text) = try random.value(of: attribute) else { continue }
            texts.insert(text)
            let whole = NSRange(text.startIndex..., in: text)
            #expect(expression.firstMatch(in: text, range: whole)?.range == whole)
        }
        #expect(texts.count > 1)
    }

    @Test(arguments: [
        "a(?=b)b", "(a)\\1", "[[:alpha:]]", "(", "[", "a{", "a{3,1}", "\\", "*", "[z-a]", "a{99999}", "[]",
    ])
    mutating func otherPatternsTakeTheDefault(_ pattern: String) throws {
        let attribute = Attribute(name: "a", type: .string, defaultValueString: "d", regularExpression: pattern)
        #expect(try random.value(of: attribute) == .text("d"))
        #expect(throws: NoLegalValue.self) {
            var other = attribute
            other.defaultValueString = nil
            var random = random
            _ = try random.value(of: other)
        }
    }

    /// No text that looks like a pattern makes the parser trap.
    @Test(arguments: seeds(1)) func anyPatternIsReadOrRefused(seed: Seed) {
        var generator = SeededGenerator(seed: seed)
        var readCount = 0
        let characters = Array("ab()[]{}*+?|\\^$-,09.d")
        for _ in 0..<5000 {
            let pattern = String(
                (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                    characters[Int.random(in: characters.indices, using: &generator)]
                })
            guard let text = PatternText(pattern) else { continue }
            _ = text.text(&generator)
            readCount += 1
        }
        #expect(readCount > 0 && readCount < 5000)
    }
}
