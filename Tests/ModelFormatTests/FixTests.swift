import DataModel
import Foundation
import Testing

@testable import ModelFormat

@Suite("Fixes as edits of the file")
struct FixTests {
    /// The text after each fix of a finding; nil for a fix that cannot be made.
    private func fixed(_ text: String, at index: Int = 0) -> [String?] { fixed(Array(text.utf8), at: index) }

    private func fixed(_ bytes: [UInt8], at index: Int = 0) -> [String?] {
        var (model, diagnostics) = ModelReader.read(contents: bytes, named: "M", file: "contents")
        if let model { diagnostics.report(contentsOf: ModelChecker.check(model)) }
        guard diagnostics.sorted.indices.contains(index) else { return [] }
        var resolver = FindingResolver(bytes, file: "contents")
        return diagnostics.sorted[index].fixes.map { fix in
            resolver.edits(of: fix).map { String(decoding: $0.applied(to: bytes), as: UTF8.self) }
        }
    }

    @Test func windowsLineEndsAndTheByteOrderMarkStay() {
        let text =
            "\u{FEFF}<?xml version=\"1.0\"?>\r\n<model>\r\n\t<entity name=\"é\"/>\r\n"
            + "\t<entity name=\"B\">\r\n\t\t<relationship name=\"r\" destinationEntity=\"é\"/>\r\n\t</entity>\r\n</model>\r\n"
        #expect(
            fixed(text) == [
                text.replacing(
                    "destinationEntity=\"é\"/>",
                    with: "destinationEntity=\"é\" inverseName=\"bs\" inverseEntity=\"é\"/>"
                )
                .replacing(
                    "<entity name=\"é\"/>",
                    with: "<entity name=\"é\">\r\n\t\t<relationship name=\"bs\" optional=\"YES\" toMany=\"YES\" "
                        + "deletionRule=\"Nullify\" destinationEntity=\"B\" inverseName=\"r\" inverseEntity=\"B\"/>\r\n\t</entity>"
                )
            ])
    }

    @Test func anElementGoesWithItsLinesAndNoOthers() {
        let body = "    <entity name=\"A\">\n        <x>\n        </x>  \n        <!-- stays --><y/>\n    </entity>\n"
        #expect(fixed(document(body)).last == document(body.replacing("        <x>\n        </x>  \n", with: "")))
        #expect(fixed(document(body), at: 1).last == document(body.replacing("<y/>", with: "")))
    }

    @Test func anAttributeGoesWithTheSpaceBeforeIt() {
        let body = "<entity name = 'A'\n\t  x\n=\n'1'  \n/>"
        #expect(fixed(document(body)) == [document("<entity name = 'A'  \n/>")])
    }

    @Test func quotationMarksAndReferencesAreWrittenAsTheyHaveToBe() throws {
        let text = document("<entity name='A'><attribute name='a' attributeType='String'/></entity>")
        let document = try #require(SourceDocument(Array(text.utf8)))
        let attribute = try #require(document.elements.firstIndex { document.name(of: $0) == "attribute" })
        let (line, column) = document.position(of: document.elements[attribute].startTag.lowerBound)
        let place = SourceLocation(file: "contents", line: line, column: column)
        let value = "\"<'&>\t\n\"é&#1"
        let changes = ["name", "defaultValueString"].map { Diagnostic.Change(place, .setAttribute($0, to: value)) }
        var resolver = FindingResolver(Array(text.utf8), file: "contents")
        let made = resolver.edits(of: Diagnostic.Fix("", changes))
        let edits = try #require(made)
        var diagnostics = Diagnostics()
        let root = XMLElement(parsing: edits.applied(to: Array(text.utf8)), file: "", reportingTo: &diagnostics)
        let element = try #require(root?.children.first?.children.first)
        #expect(element["name"] == value)
        #expect(element["defaultValueString"] == value)
    }

    @Test func whatIsWrittenIsReadBack() throws {
        let texts = ["a &amp;&lt;&gt;&quot;&apos; b", "&#65;&#x42;&#128512;", "&;&x;&", "plain"]
        #expect(texts.map(XMLText.unescaped) == ["a &<>\"' b", "AB😀", "&;&x;&", "plain"])
        for text in ["\"'&<>\t\r\n😀", "&amp;"] {
            for mark in [UInt8(ascii: "\""), UInt8(ascii: "'")] {
                #expect(XMLText.unescaped(XMLText.escaped(text, in: mark)) == text)
            }
        }
    }

    @Test func anotherEncodingIsLeftAloneUnlessAllIsASCII() {
        let body = "<entity name=\"A\"><attribute name=\"é\" attributeType=\"Bool\"/></entity>"
        let text = document(body).replacing("UTF-8", with: "ISO-8859-1")
        #expect(fixed(text) == [nil])
        let plain = text.replacing("é", with: "e")
        #expect(fixed(plain) == [plain.replacing("Bool\"", with: "Boolean\"")])
    }

    @Test func commentsAndCharacterDataAreNoElements() {
        let prolog = "<!DOCTYPE model PUBLIC \"-//a//\" '<x>y' [ <!-- ]> <model> --> <?p ]> ?> ]>"
        let body = "<!-- <entity name=\"A\"> --><![CDATA[<entity>]]><?p <a ?><entity name=\"A\" x=\">\"/>"
        let text = "\(prolog)<model>\(body)</model>"
        // The first finding is that the document type names a file.
        #expect(fixed(text, at: 1) == [text.replacing(" x=\">\"", with: "")])
    }

    @Test func aFileThatChangedMeanwhileGetsNoEdits() {
        let text = document("<entity name=\"A\" x=\"y\"/>")
        let (_, diagnostics) = ModelReader.read(contents: Array(text.utf8), named: "M", file: "contents")
        for other in ["", "<model/>", document(" <entity name=\"A\" x=\"y\"/>")] {
            var resolver = FindingResolver(Array(other.utf8), file: "contents")
            #expect(diagnostics.all.flatMap(\.fixes).count == 1)
            for fix in diagnostics.all.flatMap(\.fixes) { #expect(resolver.edits(of: fix) == nil) }
        }
    }

    @Test func anEntryOfUserInfoIsSetOrAddedWhereXcodeHasIt() throws {
        let place = SourceLocation(file: "contents", line: 3, column: 1)
        let new = #"<userInfo><entry key="k" value="a&amp;b"/></userInfo>"#
        let cases = [
            (
                #"<entity name="A"/>"#,
                "<entity name=\"A\">\n    <userInfo>\n        <entry key=\"k\" value=\"a&amp;b\"/>\n    </userInfo>\n</entity>"
            ),
            (
                "<entity name=\"A\">\n    <attribute name=\"a\"/>\n</entity>",
                "<entity name=\"A\">\n    <attribute name=\"a\"/>\n    <userInfo>\n        <entry key=\"k\" value=\"a&amp;b\"/>\n    </userInfo>\n</entity>"
            ),
            (
                #"<entity name="A"><attribute name="a"/></entity>"#,
                #"<entity name="A"><attribute name="a"/>\#(new)</entity>"#
            ),
            (
                #"<entity name="A">\#(new)</entity>"#.replacing("a&amp;b", with: "old"),
                #"<entity name="A">\#(new)</entity>"#
            ),
            (
                #"<entity name="A"><userInfo><entry key="k"/><entry key="l" value="x"/></userInfo></entity>"#,
                #"<entity name="A"><userInfo><entry key="k" value="a&amp;b"/><entry key="l" value="x"/></userInfo></entity>"#
            ),
            (
                #"<entity name="A"><userInfo><entry key="l" value="x"/></userInfo></entity>"#,
                #"<entity name="A"><userInfo><entry key="l" value="x"/><entry key="k" value="a&amp;b"/></userInfo></entity>"#
            ),
        ]
        for (before, after) in cases {
            let text = Array(document(before).utf8)
            var resolver = FindingResolver(text, file: "contents")
            let made = resolver.edits(of: Diagnostic.Fix("", [.init(place, .setEntry("k", to: "a&b"))]))
            let edits = try #require(made)
            #expect(String(decoding: edits.applied(to: text), as: UTF8.self) == document(after))
        }
    }

    @Test func changesThatOverlapAreNoFix() {
        let text = document("<entity name=\"A\"><attribute name=\"a\"/></entity>")
        let entity = SourceLocation(file: "contents", line: 3, column: 1)
        let attribute = SourceLocation(file: "contents", line: 3, column: 18)
        var resolver = FindingResolver(Array(text.utf8), file: "contents")
        let changes = [
            Diagnostic.Change(attribute, .setAttribute("name", to: "b")),
            Diagnostic.Change(attribute, .setAttribute("name", to: "c")), Diagnostic.Change(entity, .remove),
        ]
        #expect(resolver.edits(of: Diagnostic.Fix("", [changes[0]])) != nil)
        #expect(resolver.edits(of: Diagnostic.Fix("", Array(changes.prefix(2)))) == nil)
        // A removed element takes the changes within it along.
        #expect(resolver.edits(of: Diagnostic.Fix("", changes)) == resolver.edits(of: Diagnostic.Fix("", [changes[2]])))
    }

    @Test func differencesAreShownAsAPatch() {
        let before = (1...12).map { "\($0)\r\n" }.joined()
        let after = before.replacing("2\r\n3", with: "two\r\n3").replacing("12\r\n", with: "")
        let difference = LineDifference(from: Array(before.utf8), to: Array(after.utf8))
        #expect(difference.changes.map(\.text) == ["-2", "+two", "-12"])
        #expect(
            difference.patch(ofFile: "f") == """
                --- f
                +++ f
                @@ -1,5 +1,5 @@
                 1
                -2
                +two
                 3
                 4
                 5
                @@ -9,4 +9,3 @@
                 9
                 10
                 11
                -12

                """)
    }
}
