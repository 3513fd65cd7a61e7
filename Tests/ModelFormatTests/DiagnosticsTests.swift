import DataModel
import Testing

@Suite("Diagnostics of the reader")
struct DiagnosticsTests {
    @Test(arguments: [
        ("<attribute name=\"a\" attributeType=\"Date\" optoinal=\"YES\"/>", "warning unknown-attribute"),
        ("<attribute name=\"a\" attributeType=\"Date\" defaultValue=\"0\"/>", "warning misspelled-attribute"),
        ("<atribute name=\"a\"/>", "warning unknown-element"),
        ("<attribute name=\"a\" attributeType=\"Date\"><entity name=\"B\"/></attribute>", "warning unknown-element"),
        ("<attribute attributeType=\"Date\"/>", "error missing-attribute"),
        ("<attribute name=\"\" attributeType=\"Date\"/>", "error missing-attribute"),
        ("<attribute name=\"a\" attributeType=\"Integer 128\"/>", "error unknown-attribute-type"),
        ("<attribute name=\"a\" attributeType=\"Date\" optional=\"maybe\"/>", "error invalid-value"),
        ("<attribute name=\"a\" attributeType=\"Date\" derived=\"YES\"/>", "error missing-attribute"),
        ("<relationship name=\"r\"/>", "error missing-attribute"),
        ("<relationship destinationEntity=\"Thing\"/>", "error missing-attribute"),
        ("<relationship name=\"r\" destinationEntity=\"T\" deletionRule=\"Erase\"/>", "error invalid-value"),
        ("<relationship name=\"r\" destinationEntity=\"T\" maxCount=\"-1\"/>", "error invalid-value"),
        ("<relationship name=\"r\" destinationEntity=\"T\" minCount=\"99999999999999999999\"/>", "error invalid-value"),
        ("<fetchedProperty name=\"f\"/>", "error missing-attribute"),
        ("<fetchIndex><fetchIndexElement property=\"a\"/></fetchIndex>", "error missing-attribute"),
        ("<userInfo><entry value=\"v\"/></userInfo>", "error missing-attribute"),
    ])
    func everyMistakeIsReported(body: String, expected: String) {
        let result = read(thing(body))
        #expect(result.findings == [expected])
        #expect(result.model?.entities.map(\.name) == ["Thing"], "reading goes on")
        #expect(result.diagnostics.allSatisfy { $0.location.line == 4 && $0.location.column > 0 })
    }

    /// Other errors of the attribute are reported in the same run, based on the type that was meant.
    @Test func aMisspelledTypeHidesNothing() throws {
        for (type, meant) in [("Integr 16", AttributeType.integer16), ("bool", .boolean), ("Dat", .date)] {
            let result = read(thing("<attribute name=\"a\" attributeType=\"\(type)\" defaultValueString=\"abc\"/>"))
            #expect(result.findings == ["error unknown-attribute-type"])
            let model = try #require(result.model)
            #expect(model.entities.first?.attributes.first?.type == meant)
            #expect(ModelChecker.check(model).all.map(\.code) == [.invalidDefault])
        }
    }

    @Test(arguments: [
        "<composite/>", "<configuration/>", "<configuration name=\"C\"><memberEntity/></configuration>",
        "<fetchRequest entity=\"A\"/>", "<fetchRequest name=\"f\"/>",
        "<entity name=\"A\"><fetchedProperty/></entity>",
        "<entity name=\"A\"><fetchedProperty name=\"f\"><fetchRequest name=\"r\"/></fetchedProperty></entity>",
        "<entity name=\"A\"><compoundIndexes><compoundIndex><index/></compoundIndex></compoundIndexes></entity>",
    ])
    func whatMustHaveANameIsReportedWithout(body: String) {
        let result = read(document(body + "<entity name=\"B\"/>"))
        #expect(result.findings == ["error missing-attribute"])
        #expect(result.model?.entities.last?.name == "B", "reading goes on")
    }

    @Test func everyTypeAndDeletionRuleIsKnown() {
        for type in AttributeType.allCases {
            let entity = readThing("<attribute name=\"a\" attributeType=\"\(type.rawValue)\"/>")
            #expect(entity?.attributes.first?.type == type)
        }
        for rule in Relationship.DeletionRule.allCases {
            let attributes = "destinationEntity=\"Thing\" deletionRule=\"\(rule.rawValue)\""
            #expect(readThing("<relationship name=\"r\" \(attributes)/>")?.relationships.first?.deletionRule == rule)
        }
    }

    @Test func misspellingsOfTheEntityAreReportedWithTheRightSpelling() throws {
        let result = read(document("<entity name=\"Post\" abstract=\"YES\"/>"))
        let found = try #require(result.diagnostics.first)
        #expect(found.code == .misspelledAttribute)
        #expect(found.message == "<entity> 'Post' says 'abstract', which has no effect")
        #expect(found.notes == ["The format calls it 'isAbstract', and ignores unknown attributes"])
        #expect(found.fixes.map(\.title) == ["Write 'isAbstract' instead of 'abstract'", "Remove 'abstract'"])
        #expect(result.model?.entities.first?.isAbstract == false)
    }

    @Test func anUnknownNameComesWithAProposal() throws {
        let result = read(thing("<attribute name=\"a\" attributeType=\"Interger 32\" optoinal=\"YES\"/>"))
        #expect(result.diagnostics.map(\.notes.first) == ["Did you mean 'optional'?", "Did you mean 'Integer 32'?"])
    }

    @Test func allMistakesAreReportedAtOnce() {
        let body = """
            <entity/>
            <entity name="A">
                <attribute name="x" attributeType="No"/><attribute name="y" attributeType="Never"/>
            </entity>
            <strange/>
            """
        #expect(
            read(document(body)).findings.sorted() == [
                "error missing-attribute", "error unknown-attribute-type", "error unknown-attribute-type",
                "warning unknown-element",
            ])
    }

    @Test func otherToolsMayUseNamespaces() {
        let text = document("<x:note xmlns:x=\"urn:x\" x:a=\"1\"/><entity name=\"A\" xmlns:y=\"urn:y\" y:b=\"2\"/>")
        #expect(read(text).findings.isEmpty)
        #expect(read(text).model?.entities.map(\.name) == ["A"])
    }

    @Test func whatIsInsideTheDiagramIsIgnored() {
        #expect(read(document("<elements><anything at=\"all\"/></elements>")).findings.isEmpty)
    }
}
