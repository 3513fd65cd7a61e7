import DataModel
import Foundation
import Testing

@testable import GeneratorPipeline

@Suite("Findings that an author silences")
struct SilenceTests {
    private func check(_ body: String) throws -> [String] {
        try RuleFolder().check(RuleFolder.document(body)).map { "\($0.severity) \($0.code.rawValue)" }
    }

    private func silence(_ codes: String) -> String {
        "<userInfo><entry key=\"ashlar.silence\" value=\"\(codes)\"/></userInfo>"
    }

    /// Every element that may have `userInfo`, with a mistake in the element or its contents.
    static let elements: [(code: String, body: String)] = [
        ("unknown-attribute", #"<entity name="A" color="red">%</entity>"#),
        (
            "unknown-attribute",
            #"<entity name="A"><attribute name="a" attributeType="String" x="y">%</attribute></entity>"#
        ),
        ("unknown-element", #"<entity name="A"><attribute name="a" attributeType="String"><x/>%</attribute></entity>"#),
        (
            "missing-transformer",
            #"<entity name="A"><attribute name="a" attributeType="Transformable">%</attribute></entity>"#
        ),
        (
            "missing-inverse",
            #"<entity name="A"><relationship name="r" destinationEntity="A">%</relationship></entity>"#
        ),
        ("missing-inverse", #"<entity name="A"><relationship name="r" destinationEntity="A"/>%</entity>"#),
        ("missing-inverse", #"<entity name="A"><relationship name="r" destinationEntity="A"/></entity>%"#),
        ("invalid-index", #"<entity name="A"><fetchIndex name="i">%</fetchIndex></entity>"#),
        (
            "invalid-constraint",
            #"<entity name="A">%<uniquenessConstraints><uniquenessConstraint/></uniquenessConstraints></entity>"#
        ),
        ("unknown-attribute", #"<composite name="C" x="y">%</composite>"#),
        ("unknown-attribute", #"<composite name="C"><attribute name="a" attributeType="String" x="y"/>%</composite>"#),
        (
            "unknown-attribute",
            #"<entity name="A"><fetchedProperty name="f" x="y">%\#(request)</fetchedProperty></entity>"#
        ),
        ("duplicate-key", #"<entity name="A"><userInfo><entry key="k"/><entry key="k"/></userInfo>%</entity>"#),
        ("swift-name", #"<entity name="A"><attribute name="Title" attributeType="String">%</attribute></entity>"#),
    ]

    private static let request = #"<fetchRequest name="fetchedPropertyFetchRequest" entity="A"/>"#

    @Test(arguments: elements)
    func aFindingIsSilencedByItsCode(_ element: (code: String, body: String)) throws {
        let code = element.code
        let told = try check(element.body.replacing("%", with: ""))
        #expect(told.contains { $0.hasSuffix(" " + code) })
        let expected = told.filter { !$0.hasSuffix(" " + code) }
        for codes in [code, "no-action, \(code)", "no-action,\(code) redundant-index", " \(code) "] {
            #expect(try check(element.body.replacing("%", with: silence(codes))) == expected)
        }
        #expect(try check(element.body.replacing("%", with: silence("no-action"))) == told)
    }

    @Test func onlyWhatIsInTheElementIsSilenced() throws {
        let relationship = #"<relationship name="r" destinationEntity="A">%</relationship>"#
        let body = "<entity name=\"A\">\(relationship)</entity><entity name=\"B\">\(relationship)</entity>"
        let first = try #require(body.firstRange(of: "%"))
        let silenced = body.replacingCharacters(in: first, with: silence("missing-inverse")).replacing("%", with: "")
        #expect(try check(silenced) == ["warning missing-inverse"])
    }

    @Test func anErrorIsNotSilenced() throws {
        let body = #"<entity name="A"><attribute name="a" attributeType="No">%</attribute></entity>"#
        #expect(
            try check(body.replacing("%", with: silence("unknown-attribute-type"))) == ["error unknown-attribute-type"])
    }

    @Test func aCodeThatIsNoneIsAFindingThatCanBeSilenced() throws {
        #expect(try check("<entity name=\"A\">\(silence("nothing"))</entity>") == ["warning unknown-silenced-code"])
        #expect(try check("<entity name=\"A\">\(silence("nothing, unknown-silenced-code"))</entity>").isEmpty)
    }

    @Test func theBuildSaysNothingOfNotes() throws {
        let folder = try RuleFolder()
        let body = #"<entity name="A"><attribute name="Title" attributeType="String"/></entity>"#
        #expect(folder.check(RuleFolder.document(body)).map(\.severity) == [.note])
        let request = GenerationRequest(
            modelPath: folder.path + "/M.xcdatamodel", outputFolder: folder.path + "/out", shards: 1)
        #expect(try request.run().all.isEmpty)
    }
}
