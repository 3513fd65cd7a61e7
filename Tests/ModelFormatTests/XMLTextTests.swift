import AwkwardText
import DataModel
import ModelFormat
import Testing

@Suite struct XMLTextTests {
    /// The reader returns the text that was written into a model, except for characters that XML cannot contain.
    @Test func valuesComeBack() throws {
        let texts = AwkwardText.texts(around: ["<", "&", "\"", "'", ";", "&#", "]]>"]).filter { text in
            !text.unicodeScalars.contains { $0.value < 0x20 && !["\t", "\n", "\r"].contains($0) }
        }
        let entries = texts.enumerated().map { "<entry key=\"k\($0)\" value=\"\(XMLText.escaped($1))\"/>" }
        let document = """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0"><entity name="A">
            <userInfo>\(entries.joined())</userInfo></entity></model>
            """
        let (model, _) = ModelReader.read(contents: Array(document.utf8), named: "M", file: "contents")
        let found = try #require(model?.entities.first).userInfo.entries
        #expect(found.count == texts.count)
        for (text, entry) in zip(texts, found) {
            #expect(Array(entry.value.unicodeScalars) == Array(text.unicodeScalars))
        }
    }

    @Test func referencesAreFoundBesideCombiningMarks() {
        for text in AwkwardText.texts(around: ["<", "&", "\"", "'", ";", "&#"]) {
            let escaped = XMLText.escaped(text, in: UInt8(ascii: "'"))
            let expected = text.unicodeScalars.map { scalar -> Unicode.Scalar in
                scalar.value < 0x20 && !["\t", "\n", "\r"].contains(scalar) ? "\u{FFFD}" : scalar
            }
            #expect(Array(XMLText.unescaped(escaped).unicodeScalars) == expected)
        }
    }
}
