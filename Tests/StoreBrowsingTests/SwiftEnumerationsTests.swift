import Testing

@testable import StoreBrowsing

@Suite struct SwiftEnumerationsTests {
    private func cases(_ source: String) -> [String] {
        SwiftEnumerations.cases(of: "Style", in: source).map { "\($0.name)=\($0.rawValue)" }
    }

    @Test func casesHaveTheRawValuesThatSwiftGivesThem() {
        #expect(
            cases("enum Style: String { case oil, ink = \"I\"\n case `default` }") == [
                "oil=oil", "ink=I", "default=default",
            ])
        #expect(
            cases("public enum Style: Int16, Sendable {\n case a, b = 7, c\n case d = -1 }") == [
                "a=0", "b=7", "c=8", "d=-1",
            ])
    }

    @Test func commentsAndMembersAreNotCases() {
        let source = """
            // enum Style: String { case wrong }
            enum Style: String, Codable {
                /* case wrong */
                case oil // , wrong
                var isOil: Bool { switch self { case .oil: true } }
                enum Inner: String { case wrong }
                case ink
            }
            enum Style2: String { case wrong }
            """
        #expect(cases(source) == ["oil=oil", "ink=ink"])
    }

    @Test func typesWithoutRawValuesHaveNone() {
        for source in [
            "enum Style { case a }", "enum Style: Error { case a }", "struct Style {}", "enum Style: String {", "",
        ] {
            #expect(cases(source) == [])
        }
    }
}
