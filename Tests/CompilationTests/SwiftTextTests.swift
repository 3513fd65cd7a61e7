import AwkwardText
import Foundation
import Testing

@testable import SwiftGeneration

/// Texts of a model in Swift: a literal compiles to the same text, and a comment ends only with its line.
@Suite(Compiler.condition) struct SwiftTextTests {
    private static let marks = ["\"", "\\", "\\(", "\"\"\"", "#", "\"#", "\\##(", "*/", "'"]

    @Test func literalsAreTheirTexts() throws {
        let texts =
            ["", "\"", "\"\"x", "a\r\nb", "\\", "#\"", "\n", "\n\n", " \n "]
            + AwkwardText.texts(around: Self.marks) + AwkwardText.texts(around: ["\"\n", "\n\"\"\"", "\\\n"])
        var lines = [
            "func show(_ text: String) {",
            "    print(text.unicodeScalars.map { String($0.value) }.joined(separator: \" \"))", "}",
        ]
        // The forms alternate, because each is tried in hundreds of texts either way. The compiler takes seconds for
        // functions of a hundred statements, and two minutes for one array of all literals.
        for (index, text) in texts.enumerated() {
            if index % 100 == 0 { lines.append("func part\(index / 100)() {") }
            var literal = index % 2 == 0 ? [SwiftName.literal(text)] : SwiftName.multilineLiteral(text)
            literal[0] = "show(" + literal[0]
            literal[literal.count - 1] += ")"
            lines += literal
            if index % 100 == 99 || index == texts.count - 1 { lines.append("}") }
        }
        lines += stride(from: 0, to: texts.count, by: 100).map { "part\($0 / 100)()" }
        let folder = try GenerationFolder()
        let file = try folder.write(lines.joined(separator: "\n") + "\n", to: "main.swift")
        let output = String(decoding: try Compiler.output(of: file), as: UTF8.self)
        let found = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(found.count == texts.count)
        for (text, found) in zip(texts, found) {
            #expect(found == text.unicodeScalars.map { String($0.value) }.joined(separator: " "))
        }
    }

    /// The text after the scalar is an error unless it is part of the comment.
    @Test func commentsStayComments() throws {
        let text = AwkwardText.scalars.map { "Nice.\($0)#error(\"code\")" }.joined(separator: " ")
        let file = SwiftFile(
            header: [text], imports: [],
            declarations: [
                .mark(text),
                .type(
                    TypeDeclaration(
                        documentation: [text], kind: .struct, name: "A",
                        members: [
                            .property(PropertyDeclaration(documentation: [text], name: "a", type: "Int")),
                            .function(FunctionDeclaration(documentation: [text], name: "func f")),
                        ])),
            ])
        let folder = try GenerationFolder()
        let source = try folder.write(SwiftRenderer.text(of: file), to: "Comments.swift")
        let complaints = try Compiler.complaints(about: [source])
        #expect(complaints.isEmpty, "\(complaints.prefix(1000))")
    }

    @Test func hiddenScalarsAreSeenInTheCode() {
        let seen = AwkwardText.scalars.filter { SwiftName.literal(String($0)).unicodeScalars.contains($0) }
        // Signs before numbers, and the voicing marks of half width, have a shape of their own.
        let signs: [ClosedRange<UInt32>] = [
            0x600...0x605, 0x6DD...0x6DD, 0x70F...0x70F, 0x890...0x891, 0x8E2...0x8E2, 0xFF9E...0xFF9F,
            0x1_10BD...0x1_10BD, 0x1_10CD...0x1_10CD,
        ]
        // Marks of scripts, which a letter of the script carries.
        for scalar in seen where scalar != " " && !signs.contains(where: { $0.contains(scalar.value) }) {
            let category = scalar.properties.generalCategory
            #expect(
                [.nonspacingMark, .spacingMark, .enclosingMark, .otherLetter].contains(category)
                    || scalar.properties.isEmojiModifier, "\(String(scalar.value, radix: 16))")
        }
    }
}
