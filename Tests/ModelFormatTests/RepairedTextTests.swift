import DataModel
import RandomNumbers
import RandomSeeds
import Testing

@testable import ModelFormat

@Suite struct RepairedTextTests {
    static let text = document(
        """
            <entity name="Post" representedClassName=".Post">
                <attribute name="title" attributeType="String"/>
                <attribute name="likes" attributeType="Integer 64"><userInfo><entry key="a" value="b"/></userInfo></attribute>
                <!-- A comment <with> signs -->
                <relationship name="author" maxCount="1" destinationEntity="Person"/>
            </entity>
            <entity name="Person"/>
        """)

    private func names(_ bytes: [UInt8]) -> [String]? {
        ModelReader.read(contents: bytes, named: "", file: "contents").model.map { model in
            model.entities.flatMap { entity in
                [entity.name] + entity.attributes.map(\.name) + entity.relationships.map(\.name)
            }
        }
    }

    /// A text in which something is replaced.
    private func names(_ old: String, _ new: String) -> [String]? {
        var bytes = Array(Self.text.utf8)
        guard let range = bytes.firstRange(of: Array(old.utf8)) else { return nil }
        bytes.replaceSubrange(range, with: new.utf8)
        guard let repaired = RepairedText(bytes) else { return nil }
        #expect(repaired.isRepaired)
        return names(repaired.bytes)
    }

    @Test func wellFormedTextStaysAsItIs() throws {
        let repaired = try #require(RepairedText(Array(Self.text.utf8)))
        #expect(!repaired.isRepaired)
        #expect(repaired.bytes == Array(Self.text.utf8))
        #expect(repaired.originalOffset(of: 100) == 100)
    }

    @Test func elementsAroundABrokenOneAreRead() {
        let all = ["Post", "title", "likes", "author", "Person"]
        // Each text is a state while a person types.
        #expect(
            names(
                "<attribute name=\"title\" attributeType=\"String\"/>", "<attribute name=\"title\" attributeType=\"Str")
                == all)
        #expect(
            names("<attribute name=\"title\" attributeType=\"String\"/>", "<attribute name=\"title\" attributeType=")
                == all)
        #expect(
            names("<attribute name=\"title\" attributeType=\"String\"/>", "<attribute name=\"title\" attributeType")
                == all)
        #expect(names("<attribute name=\"title\" attributeType=\"String\"/>", "<attribute name=\"title\" ") == all)
        #expect(names("<attribute name=\"title\" attributeType=\"String\"/>", "<attribute name=\"title\">") == all)
        #expect(
            names(
                "<attribute name=\"title\" attributeType=\"String\"/>",
                "<attribute name=\"title\" attributeType=\"String/>") == all)
        #expect(names("attributeType=\"String\"/>", "attributeType=String/>") == all)
        #expect(names("attributeType=\"String\"/>", "attributeType=\"String\" name=\"b\"/>") == all)
        #expect(names("attributeType=\"String\"/>", "attributeType=\"a & b\"/>") == all)
        #expect(
            names("<entity name=\"Post\" representedClassName=\".Post\">", "<entity name=\"Post\" represented") == all)
        #expect(names("</entity>", "") == all)
        #expect(names("</entity>", "</entity") == all)
        #expect(names("</entity>", "</entiy>") == all)
        #expect(names("</userInfo>", "") == all)
        #expect(names("</attribute>", "") == all)
        #expect(names("</model>", "") == all)
        #expect(names("</model>", "</model>\n<entity") == all)
        #expect(names("<entity name=\"Person\"/>", "<\n<entity name=\"Person\"/>") == all)
        #expect(names("<entity name=\"Person\"/>", "& <entity name=\"Person\"/>") == all)
        #expect(names("<entity name=\"Person\"/>", "<!-- <entity name=\"Person\"/>") == all)
        #expect(names("<attribute name=\"title\" attributeType=\"String\"/>", "<") == all.filter { $0 != "title" })
    }

    @Test func placesAreThoseOfTheText() throws {
        var bytes = Array(Self.text.utf8)
        let range = try #require(bytes.firstRange(of: Array("/>".utf8)))
        bytes.removeSubrange(range)
        let repaired = try #require(RepairedText(bytes))
        let likes = try #require(repaired.bytes.firstRange(of: Array("\"likes\"".utf8))).lowerBound
        let offset = repaired.originalOffset(of: likes)
        #expect(bytes[offset...].starts(with: "\"likes\"".utf8))
        #expect(repaired.document.elements.count == 8)
    }

    @Test func everyBeginningCanBeRepaired() {
        let bytes = Array(Self.text.utf8)
        let start = bytes.firstRange(of: Array("<model".utf8))?.upperBound ?? 0
        for end in start...bytes.count {
            let repaired = RepairedText(Array(bytes[..<end]))
            #expect(repaired.flatMap { XMLElement.placeOfError(in: $0.bytes) } == nil, "\(end)")
            #expect(repaired != nil, "\(String(decoding: bytes[..<end].suffix(40), as: UTF8.self))")
        }
    }

    @Test(arguments: seeds(30))
    func damagedTextsAreRepairedOrRefused(_ seed: Seed) throws {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "<", ">", "\"", "'", "&", "/", "</entity>", "<!--", "-->", "=", "x", "\u{1F600}", "\n", "<a ", "]]>", "<?",
        ]
        for _ in 0..<50 {
            var bytes = Array(Self.text.utf8)
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let start = Int.random(in: 0...bytes.count, using: &generator)
                let end = min(bytes.count, start + Int.random(in: 0...20, using: &generator))
                bytes.replaceSubrange(start..<end, with: try #require(pieces.randomElement(using: &generator)).utf8)
            }
            guard let repaired = RepairedText(bytes) else { continue }
            #expect(XMLElement.placeOfError(in: repaired.bytes) == nil)
            var last = 0
            for offset in 0...repaired.bytes.count {
                let original = repaired.originalOffset(of: offset)
                #expect(original >= last && original <= bytes.count)
                last = original
            }
        }
    }
}
