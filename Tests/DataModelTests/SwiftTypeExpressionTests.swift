import Testing

@testable import DataModel

@Suite struct SwiftTypeExpressionTests {
    @Test(arguments: [
        "Diet", "Animal.Diet", "[String]", "[String: Int]", "Set<Int>", "Pair<String, [Int]>.Part", "Int?", "[Int?]?",
        "any Shape", "Shape & Codable", "(Int)", "(first: Int, second: [String])", "`Type`", "Größe", "名前", "🦁",
        "InlineArray<4, Int>", "_Internal", "Dictionary<String, any Codable & Sendable>",
    ])
    func isAType(_ text: String) { #expect(SwiftTypeExpression.isValid(text)) }

    @Test(arguments: [
        "", " ", "String; func a() {}", "String\nlet a = 1", "String\r", "String /* */", "String //", "Int = 1", "A B",
        "[String", "String]", "A<B", "A..B", ".A", "A.", "1A", "(A, )", "A -> B", "class", "\"A\"", "A\u{2028}B", "A!",
        "A\u{0}", "`a b`", "`a", "A{}", "A,B", "[A: B: C]", "A @B", "#A",
    ])
    func isNone(_ text: String) { #expect(!SwiftTypeExpression.isValid(text)) }

    @Test func depthEndsTheReadingAndNotTheProcess() {
        let open = String(repeating: "[", count: 100_000)
        #expect(!SwiftTypeExpression.isValid(open))
        let isValid = SwiftTypeExpression.isValid("[[[[[[[[A]]]]]]]]")
        #expect(isValid)
    }

    @Test func decimalsThatLoseDigitsAreNoDefaults() {
        func value(_ text: String) -> DefaultValue? {
            try? Attribute(name: "a", type: .decimal, defaultValueString: text).defaultValue()
        }
        #expect(value("0.50") == .decimal("0.5"))
        #expect(value("-1e-3") == .decimal("-0.001"))
        #expect(value("+0012.0") == .decimal("12"))
        #expect(value("-0.0") == .decimal("0"))
        let digits = "12345678901234567890123456789012345678"
        #expect(value(digits) == .decimal(digits))
        #expect(value("0." + digits) == .decimal("0." + digits))
        for text in [digits + "." + digits, "1" + digits + "1", "0.1e-9223372036854775808", "1e200", "nan", "0x10"] {
            #expect(value(text) == nil, "\(text)")
        }
    }

    @Test func floatsBeyondTheirRangeAreNoDefaults() {
        func value(_ text: String) -> DefaultValue? {
            try? Attribute(name: "a", type: .float, defaultValueString: text).defaultValue()
        }
        #expect(value("3.4028235e38") == .real(Double(Float.greatestFiniteMagnitude)))
        #expect(value("0.1") == .real(Double(Float(0.1))))
        #expect(value("1e39") == nil)
        #expect(value("-1e39") == nil)
    }
}
