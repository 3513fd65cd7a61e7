import DataModel
import Foundation
import Testing

@testable import ModelFormat

@Suite("A file as Xcode writes it")
struct ModelFormatterTests {
    private func formatted(_ text: String) throws -> String {
        let bytes = try ModelFormatter.formatted(Array(text.utf8), file: "contents")
        #expect(try ModelFormatter.formatted(bytes, file: "contents") == bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func aFileThatAHandWroteIsWrittenAsXcodeDoes() throws {
        let text = try formatted(
            "\u{FEFF}<?xml version='1.0'?>\r\n<!-- head --><model documentVersion='1.0'\r\n type='com.apple.IDECoreDataModeler.DataModel'>"
                + "<!-- b --><entity name='b2'/> <!-- same line -->\r\n<entity name=\"b10\"><userInfo><entry value='a&#10;b' key='k'/></userInfo>"
                + "<attribute attributeType='String' x='1' name='q&quot;&apos;'></attribute>\n<!-- end -->\r\n</entity><entity name='A'></entity></model>\r\n"
        )
        #expect(
            text == """
                <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <!-- head -->
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                    <entity name="A"/>
                    <!-- b -->
                    <entity name="b2"/> <!-- same line -->
                    <entity name="b10">
                        <attribute name="q&quot;'" attributeType="String" x="1"/>
                        <userInfo>
                            <entry key="k" value="a&#10;b"/>
                        </userInfo>
                        <!-- end -->
                    </entity>
                </model>

                """)
    }

    @Test func foreignElementsAndTextStayAsTheyAre() throws {
        let text = document(
            "    <entity name=\"A\">\n        <attribute name=\"a\" attributeType=\"String\"/>\n        <x:y   z='1'>\n <q/></x:y>\n        <note> a\n  b </note>\n    </entity>"
        ).replacing("<model ", with: "<model xmlns:x=\"urn:x\" ")
        #expect(try formatted(text.replacing("    <entity", with: " <entity")) == text)
    }

    @Test func theOrderOfMarkedAttributesIsThatOfTheirIndex() throws {
        func attribute(_ name: String) -> String {
            """
                    <attribute name="\(name)" attributeType="String">
                        <userInfo>
                            <entry key="ashlar.index" value="fulltext"/>
                        </userInfo>
                    </attribute>
            """
        }
        let text = document("    <entity name=\"E\">\n\(attribute("b"))\n\(attribute("a"))\n    </entity>")
        #expect(try formatted(text) == text)
    }

    @Test func aFileThatIsNoModelIsRefused() {
        for text in ["", "<model>", "<plist/>", "bplist00", "<model><entity name='\u{0}'/></model>"] {
            #expect(throws: ModelEditError.self) { try ModelFormatter.formatted(Array(text.utf8), file: "contents") }
        }
    }

    /// Random changes of the layout of a file and of the order in it do not change its meaning.
    @Test func formattingUndoesEveryOtherLayout() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Author">
                    <attribute name="name" optional="YES" attributeType="String" defaultValueString="&lt;a&gt;"/>
                    <attribute name="size" attributeType="Integer 16" defaultValueString="0" usesScalarValueType="YES"/>
                </entity>
            </model>
            """
        for change: (String, String) in [
            ("\n", "\r\n"), ("    ", "\t"), ("\" ", "\"\n   "), ("    <", "<"), ("/>", " />"), ("/>", "></attribute>"),
            ("&gt;", ">"),
        ] {
            #expect(try formatted(text.replacing(change.0, with: change.1)) == text, "\(change)")
        }
    }
}

@Suite("Real models, formatted", .enabled(if: Corpus.exists, "there is no corpus of real models on this machine"))
struct ModelFormatterCorpusTests {
    /// Every file of Xcode 4 to 16, but for three that were sorted by hand.
    @Test func aFileThatXcodeSavedStaysAsItIs() throws {
        var count = 0
        var changed: [String] = []
        for file in Corpus.files {
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
            let result = try ModelFormatter.formatted(bytes, file: file)
            count += 1
            if result == bytes { continue }
            changed.append(file)
            // Lines are in another order, and nothing else is changed.
            #expect(
                result.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }.sorted()
                    == bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }.sorted())
        }
        #expect(count > 500)
        #expect(changed.count <= 3, "\(changed)")
    }
}
