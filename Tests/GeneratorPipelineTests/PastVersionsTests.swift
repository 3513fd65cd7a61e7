import DataModel
import Foundation
import Testing

@testable import GeneratorPipeline

/// Findings in versions that the build does not use.
@Suite struct PastVersionsTests {
    private static let attribute = #"<attribute name="a" optional="YES" attributeType="String"/>"#
    private static let good = "<entity name=\"A\">\(attribute)</entity>"

    private func check(
        _ versions: [String], current: Int? = nil, _ change: (inout GeneratorConfiguration) -> Void = { _ in },
        _ files: [String: String] = [:]
    ) throws -> (plan: ModelPlan?, diagnostics: Diagnostics) {
        let folder = try RuleFolder()
        func name(_ index: Int) -> String { index == 0 ? "M" : "M \(index + 1)" }
        for (index, body) in versions.enumerated() {
            let text = body.hasPrefix("<model") ? body : RuleFolder.document(body)
            try folder.write(text, to: "M.xcdatamodeld/\(name(index)).xcdatamodel/contents")
        }
        let chosen = name(current ?? versions.count - 1)
        try folder.write(
            "<plist><dict><key>_XCCurrentVersionName</key><string>\(chosen).xcdatamodel</string></dict></plist>",
            to: "M.xcdatamodeld/.xccurrentversion")
        for (file, text) in files { try folder.write(text, to: file) }
        var configuration = GeneratorConfiguration()
        change(&configuration)
        return ModelPlan.make(modelPath: folder.path + "/M.xcdatamodeld", configuration: configuration)
    }

    /// Mistakes in templates and fetched properties, which only a build of the version itself can meet.
    static let templates = [
        #"<fetchRequest name="F" entity="A" predicateString="titel == 1"/>"#,
        #"<fetchRequest name="F" entity="A" predicateString="a =="/>"#,
        #"<fetchRequest name="F" entity="B"/>"#, #"<fetchRequest name="F"/>"#, #"<fetchRequest entity="A"/>"#,
        #"<fetchRequest name="F" entity="A" fetchLimit="many"/>"#,
        #"<fetchRequest name="F" entity="A" includeSubentities="perhaps"/>"#,
        #"<entity name="C"><fetchedProperty name="f"/></entity>"#,
        #"<entity name="C"><fetchedProperty><fetchRequest name="r" entity="A"/></fetchedProperty></entity>"#,
        #"<entity name="C"><fetchedProperty name="f"><fetchRequest name="r" entity="B"/></fetchedProperty></entity>"#,
        #"<entity name="C"><fetchedProperty name="f"><fetchRequest name="r" entity="A" predicateString="b == $X"/>"#
            + "</fetchedProperty></entity>",
        #"<entity name="C"><fetchedProperty name="a b"><fetchRequest name="r" entity="A"/></fetchedProperty></entity>"#,
    ]

    @Test(arguments: templates)
    func aTemplateOfThePastStopsNoBuild(_ template: String) throws {
        let entity = template.hasPrefix("<entity") ? "<entity name=\"C\"/>" : ""
        for versions in [
            [Self.good + template, Self.good + entity], [Self.good + template, Self.good, Self.good + entity],
            [Self.good, Self.good + template, Self.good + entity],
        ] {
            let (plan, diagnostics) = try check(versions)
            #expect(plan?.versions.count == versions.count)
            #expect(!diagnostics.hasErrors, "\(diagnostics.all)")
        }
        // The same is an error of the current version, also where its entities are written as before.
        for versions in [[Self.good + template], [Self.good + template, Self.good + template]] {
            #expect(try check(versions).diagnostics.hasErrors)
        }
    }

    @Test func whatIsLeftBehindMayBeWrong() throws {
        let wrong = #"<entity name="A"><attribute name="a" attributeType="No"/></entity>"#
        for versions in [[wrong, Self.good, Self.good], ["<model", Self.good, Self.good]] {
            let (plan, diagnostics) = try check(versions)
            #expect(plan == nil && diagnostics.hasErrors)
            let errors = diagnostics.all.filter { $0.severity == .error }
            #expect(errors.allSatisfy { $0.notes.last?.contains(#""oldestVersion": {"M": "M 2"}"#) == true })
            let left = try check(versions) { $0.oldestVersion = ["M": "M 2"] }
            #expect(left.plan?.versions.map(\.name) == ["M 2", "M 3"])
            #expect(left.diagnostics.all.isEmpty)
        }
        // If the current version is wrong too, leaving out old versions does not help.
        let both = try check([wrong, wrong]).diagnostics
        #expect(both.hasErrors)
        #expect(!both.all.contains { $0.notes.contains { $0.contains("oldestVersion") } })
    }

    @Test func aStepThatCannotBePlannedNamesTheWayOut() throws {
        let number = #"<entity name="A"><attribute name="a" optional="YES" attributeType="Integer 16"/></entity>"#
        let past = try check([Self.good, number, number]).diagnostics.all
        #expect(past.map(\.code) == [.migrationNotInferrable])
        #expect(past.first?.notes.last?.contains(#""oldestVersion": {"M": "M 2"}"#) == true)
        let left = try check([Self.good, number, number]) { $0.oldestVersion = ["M": "M 2"] }
        #expect(left.plan != nil && left.diagnostics.all.isEmpty)
        // The last step can be left behind too, unless a version was released.
        let last = try check([Self.good, number]).diagnostics.all
        #expect(last.first?.notes.last?.contains(#""oldestVersion": {"M": "M 2"}"#) == true)
    }

    @Test func versionsAfterTheCurrentOneAreTold() throws {
        let versions = [Self.good, Self.good, Self.good]
        #expect(try check(versions).diagnostics.all.isEmpty)
        let found = try check(versions, current: 0)
        #expect(found.plan?.versions.map(\.name) == ["M"])
        #expect(found.diagnostics.all.map(\.code) == [.laterVersion])
        #expect(found.diagnostics.all.map(\.severity) == [.warning])
        #expect(found.diagnostics.all.first?.message.hasPrefix("'M 2', 'M 3' come after") == true)
        // A target that builds an earlier release declares it.
        #expect(try check(versions) { $0.currentVersion = ["M": "M"] }.diagnostics.all.isEmpty)
        #expect(
            try check(versions, current: 0) { $0.versions = ["M": ["M 3", "M 2", "M"]] }.diagnostics.all.isEmpty)
        // Versions that are left out have no findings.
        let wrong = try check([Self.good, "<entity/>"], current: 0)
        #expect(wrong.plan != nil && wrong.diagnostics.all.map(\.code) == [.laterVersion])
        let silence = "<userInfo><entry key=\"ashlar.silence\" value=\"later-version\"/></userInfo>"
        #expect(try check([Self.good + silence, Self.good], current: 0).diagnostics.all.isEmpty)
    }

    // MARK: Mapping models

    private static func mapping(_ source: String, _ destination: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

        <database>
            <databaseInfo><version>134481920</version></databaseInfo>
            <object type="XDDEVENTITYMAPPING" id="z102">
                <attribute name="sourcename" type="string">A</attribute>
            </object>
            <object type="XDDEVMAPPINGMODEL" id="z103">
                <attribute name="sourcemodelpath" type="string">\(source)</attribute>
                <attribute name="destinationmodelpath" type="string">App/\(destination)</attribute>
            </object>
        </database>
        """
    }

    @Test(arguments: [
        "M.xcdatamodeld/One.xcmappingmodel/xcmapping.xml", "One.xcmappingmodel/xcmapping.xml",
        "Mappings/One.xcmappingmodel/xcmapping.xml", "Code/Migration/M/M2/Policies/One.xcmappingmodel/xcmapping.xml",
    ])
    func aMappingModelIsToldUntilItIsReplaced(_ file: String) throws {
        let versions = [Self.good, Self.good, Self.good]
        let text = Self.mapping("M.xcdatamodeld/M.xcdatamodel", "M.xcdatamodeld/M 2.xcdatamodel")
        let found = try check(versions, { _ in }, [file: text]).diagnostics.all
        #expect(found.map(\.code) == [.ignoredMappingModel])
        #expect(found.map(\.severity) == [.warning])
        #expect(found.first?.message.contains("'One' from 'M' to 'M 2' is ignored") == true)
        #expect(try check(versions, { $0.oldestVersion = ["M": "M 2"] }, [file: text]).diagnostics.all.isEmpty)
        #expect(try check(versions, { $0.migrationStages = ["M": ["M 2"]] }, [file: text]).diagnostics.all.isEmpty)
        let script = ["M.xcdatamodeld/M 2.sql": "UPDATE A SET a = 'x'", file: text]
        #expect(try check(versions, { _ in }, script).diagnostics.all.isEmpty)
        // A mapping model that cannot be read is reported without its versions.
        for text in ["<database", "<database/>"] {
            let unknown = try check(versions, { _ in }, [file: text]).diagnostics.all
            #expect(unknown.map(\.code) == [.ignoredMappingModel])
        }
    }

    @Test func aMappingModelIsToldBesideErrorsOfItsStep() throws {
        let file = "One.xcmappingmodel/xcmapping.xml"
        let text = Self.mapping("M.xcdatamodeld/M.xcdatamodel", "M.xcdatamodeld/M 2.xcdatamodel")
        let date = Self.good.replacing("String", with: "Date")
        let (plan, diagnostics) = try check([Self.good, date], { _ in }, [file: text])
        #expect(plan == nil)
        #expect(Set(diagnostics.all.map(\.code)) == [.migrationNotInferrable, .ignoredMappingModel])
    }

    @Test func theMappingModelOfAnotherModelIsNone() throws {
        let text = Self.mapping("Other.xcdatamodeld/M.xcdatamodel", "Other.xcdatamodeld/M 2.xcdatamodel")
        let versions = [Self.good, Self.good]
        #expect(try check(versions, { _ in }, ["One.xcmappingmodel/xcmapping.xml": text]).diagnostics.all.isEmpty)
        // With two models in the folder, the mapping model may belong to either.
        let files = ["One.xcmappingmodel/xcmapping.xml": "", "Other.xcdatamodeld/Other.xcdatamodel/contents": ""]
        #expect(try check(versions, { _ in }, files).diagnostics.all.isEmpty)
        let own = Self.mapping("M.xcdatamodeld/M.xcdatamodel", "M.xcdatamodeld/M 2.xcdatamodel")
        #expect(
            try check(versions, { _ in }, files.merging(["One.xcmappingmodel/xcmapping.xml": own]) { $1 })
                .diagnostics.all.map(\.code) == [.ignoredMappingModel])
    }
}
