import DataModel
import Foundation
import Testing

@testable import ModelFormat

@Suite("The schema for editors")
struct SchemaTests {
    // MARK: One vocabulary

    @Test func schemaAndReaderKnowTheSameElementsAndAttributes() throws {
        var diagnostics = Diagnostics()
        let grammar = try #require(
            XMLElement(parsing: Array(try FormatSchema.text.utf8), file: "rng", reportingTo: &diagnostics))
        let schema = SchemaVocabulary(grammar)
        #expect(Set(schema.attributes.keys) == Set(ElementVocabulary.all.keys))
        for (name, vocabulary) in ElementVocabulary.all {
            #expect(schema.attributes[name] == vocabulary.attributes, "attributes of <\(name)>")
            #expect(schema.children[name, default: []] == vocabulary.children, "children of <\(name)>")
        }
    }

    @Test func everyTypeAndDeletionRuleIsAccepted() throws {
        let schema = try FormatSchema()
        for type in AttributeType.allCases {
            let text = thing("<attribute name=\"a\" attributeType=\"\(type.rawValue)\"/>")
            #expect(schema.refusal(of: text.utf8) == nil)
        }
        for rule in Relationship.DeletionRule.allCases {
            let text = thing("<relationship name=\"r\" destinationEntity=\"T\" deletionRule=\"\(rule.rawValue)\"/>")
            #expect(schema.refusal(of: text.utf8) == nil)
        }
    }

    // MARK: Accepted documents

    @Test func ownModelsAreAccepted() throws {
        let schema = try FormatSchema()
        var count = 0
        for folder in ["Models", "Tests"] {
            let url = FormatSchema.package.appending(path: folder)
            for file in FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil) ?? .init() {
                guard let file = file as? URL, file.lastPathComponent == "contents" else { continue }
                count += 1
                let refusal = schema.refusal(of: try Data(contentsOf: file))
                #expect(refusal == nil, "\(file.path): \(refusal ?? "")")
            }
        }
        #expect(count >= 5)
    }

    @Test func aNewModelIsAccepted() throws {
        let folder = try TemporaryFolder()
        let path = try ModelBundleEditor.makeModel(named: "Feed", inFolder: folder.path)
        let contents = try Data(contentsOf: URL(fileURLWithPath: "\(path)/Feed.xcdatamodel/contents"))
        #expect(try FormatSchema().refusal(of: contents) == nil)
    }

    @Test(.enabled(if: Corpus.exists, "there is no corpus of real models on this machine"))
    func everyRealModelIsAccepted() throws {
        let schema = try FormatSchema()
        var count = 0
        for file in Corpus.models.flatMap(ModelFiles.inputs(ofModelAtPath:)) where file.hasSuffix("/contents") {
            count += 1
            let refusal = schema.refusal(of: try Data(contentsOf: URL(fileURLWithPath: file)))
            #expect(refusal == nil, "\(file): \(refusal ?? "")")
        }
        #expect(count > 500)
    }

    @Test(arguments: [
        "<entity name=\"A\" xmlns:x=\"urn:x\" x:color=\"red\"><x:note><x:p>text</x:p></x:note></entity>",
        "<elements><element name=\"A\" positionX=\"1.5\" width=\"128\"/></elements>",
        "<entity name=\"日本\"><attribute name=\"a\" optional=\"true\" indexed=\"no\" transient=\"\"/></entity>",
        "<entity name=\"A\"><attribute name=\"a\" derived=\"YES\" derivationExpression=\"now()\"/></entity>",
        "<entity name=\"A\"><fetchIndex name=\"i\"><fetchIndexElement property=\"a\" type=\"rtree\"/>"
            + "<userInfo/><fetchIndexElement property=\"b\" type=\"R-Tree\"/></fetchIndex></entity>",
    ])
    func whatIsReadWithoutAWordIsAccepted(body: String) throws {
        #expect(read(document(body)).findings.isEmpty)
        #expect(try FormatSchema().refusal(of: document(body).utf8) == nil)
    }

    // MARK: Refused documents

    /// Each with a part of libxml2's message.
    @Test(arguments: [
        // Misspelt attributes, and such as belong elsewhere
        ("<attribute name=\"a\" attributeType=\"Date\" optoinal=\"YES\"/>", "optoinal"),
        ("<attribute name=\"a\" attributeType=\"Date\" defaultValue=\"0\"/>", "defaultValue"),
        ("<attribute name=\"a\" attributeType=\"Date\" deletionRule=\"Deny\"/>", "deletionRule"),
        // Values
        ("<attribute name=\"a\" attributeType=\"Integer 128\"/>", "attribute"),
        ("<attribute name=\"a\" attributeType=\"string\"/>", "attribute"),
        ("<attribute name=\"a\" optional=\"maybe\"/>", "optional"),
        ("<attribute name=\"a\" minDateTimeInterval=\"2001-01-01\"/>", "minDateTimeInterval"),
        ("<attribute name=\"\"/>", "attribute"),
        ("<relationship name=\"r\" destinationEntity=\"T\" deletionRule=\"Erase\"/>", "deletionRule"),
        ("<relationship name=\"r\" destinationEntity=\"T\" maxCount=\"-1\"/>", "maxCount"),
        ("<relationship name=\"r\" destinationEntity=\"T\" minCount=\"99999999999999999999\"/>", "minCount"),
        ("<fetchIndex name=\"i\"><fetchIndexElement property=\"a\" type=\"Hash\"/></fetchIndex>", "fetchIndex"),
        ("<fetchIndex name=\"i\"><fetchIndexElement property=\"a\" order=\"up\"/></fetchIndex>", "fetchIndex"),
        // Missing attributes and elements
        ("<attribute attributeType=\"Date\"/>", "attribute"),
        ("<attribute name=\"a\" attributeType=\"Date\" derived=\"YES\"/>", "attribute"),
        ("<relationship name=\"r\"/>", "relationship"),
        ("<fetchedProperty name=\"f\"/>", "fetchedProperty"),
        ("<fetchIndex name=\"i\"/>", "fetchIndex"),
        ("<userInfo><entry value=\"v\"/></userInfo>", "entry"),
        // Structure
        ("<atribute name=\"a\"/>", "atribute"),
        ("<entity name=\"B\"/>", "entity"),
        ("<attribute name=\"a\"><entity name=\"B\"/></attribute>", "entity"),
        ("<fetchIndexElement property=\"a\"/>", "fetchIndexElement"),
        ("<uniquenessConstraint><constraint value=\"a\"/></uniquenessConstraint>", "uniquenessConstraint"),
        (
            "<fetchIndex name=\"i\"><fetchIndexElement property=\"a\" type=\"RTree\"/>"
                + "<fetchIndexElement property=\"b\" type=\"Binary\"/></fetchIndex>", "fetchIndex"
        ),
        ("text", "text"),
    ])
    func mistakesAreRefused(body: String, piece: String) throws {
        let refusal = try #require(try FormatSchema().refusal(of: thing(body).utf8))
        #expect(refusal.contains(piece), "\(refusal)")
    }

    @Test func otherDocumentsAreRefused() throws {
        let schema = try FormatSchema()
        for text in [
            "<entity name=\"A\"/>", "<model/>", "<model type=\"other\" documentVersion=\"1.0\"/>",
            document("").replacing("<model ", with: "<model xmlns=\"urn:other\" "),
        ] {
            #expect(schema.refusal(of: text.utf8) != nil)
        }
    }
}
