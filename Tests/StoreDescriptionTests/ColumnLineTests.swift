import AwkwardText
import RandomNumbers
import StoreDescription
import Testing

/// The lines that describe columns in generated code: reading a written line gives the same column.
@Suite struct ColumnLineTests {
    @Test(arguments: [
        ("likes integer64", "likes", ColumnLine.Content.attribute(.integer64), false),
        ("author ->0.0?", "author", .reference(root: 0, entity: 0), true),
        ("parent ->3.65535", "parent", .reference(root: 3, entity: 65535), false),
    ])
    func aPlainLine(_ text: String, _ name: String, _ content: ColumnLine.Content, _ isOptional: Bool) throws {
        let line = ColumnLine(name, content, isOptional: isOptional)
        #expect(line.text == text)
        #expect(ColumnLine(text[...]) == line)
    }

    @Test func everyWord() throws {
        let text = "Reply$text string? leaf external derived preserved property=text entity=Reply"
        let line = try #require(ColumnLine(text[...]))
        #expect(line.isRequiredInComposite && line.isExternal && line.isDerived && line.isPreserved && line.isOptional)
        #expect((line.name, line.property, line.entity) == ("Reply$text", "text", "Reply"))
        #expect(line.text == text)
    }

    @Test(arguments: [
        "", " ", "likes", "likes ", " integer64", "likes int", "likes Integer64", "likes integer64 ",
        "likes  integer64", "likes integer64?? ", "likes integer64??", "likes integer64 Leaf", "likes integer64 leaf ",
        "likes integer64 property=", "likes integer64 entity=", "likes integer64 size=3", "author ->", "author ->1",
        "author ->1.", "author ->.1", "author ->1.2.3", "author ->-1.2", "author ->1.65536", "author 1.2", "author ?",
    ])
    func noLine(_ text: String) { #expect(ColumnLine(text[...]) == nil) }

    @Test func whatIsWrittenIsRead() {
        var generator = SeededGenerator(seed: TestEffort.seed ?? 22)
        // A name is not empty, and has no space or line break.
        let names = (AwkwardText.texts(around: ["=", "->", "?", "leaf", "property=x"]) + ["leaf", "derived", "a"])
            .filter { name in !name.isEmpty && !name.utf8.contains { $0 == 0x20 || $0 == 0x0A } }
        let types = ColumnLine.AttributeType.allCases
        for _ in 0..<(2000 * TestEffort.factor) {
            let content: ColumnLine.Content =
                generator.oneIn(2)
                ? .attribute(types[generator.number(0..<types.count)])
                : .reference(
                    root: UInt16(generator.number(0..<65536)), entity: UInt16(generator.number(0..<65536)))
            var line = ColumnLine(
                names[generator.number(0..<names.count)], content, isOptional: generator.oneIn(2))
            line.isRequiredInComposite = generator.oneIn(2)
            line.isExternal = generator.oneIn(2)
            line.isDerived = generator.oneIn(2)
            line.isPreserved = generator.oneIn(2)
            if generator.oneIn(2) { line.property = names[generator.number(0..<names.count)] }
            if generator.oneIn(2) { line.entity = names[generator.number(0..<names.count)] }
            #expect(ColumnLine(line.text[...]) == line)
        }
    }
}
