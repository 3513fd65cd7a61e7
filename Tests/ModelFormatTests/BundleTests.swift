import DataModel
import Foundation
import ModelFormat
import Testing

@Suite("Bundles and bare models")
struct BundleTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("row 1: a bundle is read with all its versions") func aBundleIsReadWithAllItsVersions() throws {
        try folder.writeBundle("Model", versions: ["Model", "Model 10", "Model 2"], current: "Model 2")
        let (model, findings, _) = folder.read("Model.xcdatamodeld")
        #expect(findings.isEmpty)
        #expect(model?.name == "Model")
        #expect(model?.versions.map(\.name) == ["Model", "Model 2", "Model 10"])
        #expect(model?.currentVersion?.name == "Model 2")
        #expect(
            model?.currentVersion?.entities.first?.location.file
                == "\(folder.path)/Model.xcdatamodeld/Model 2.xcdatamodel/contents")
        #expect(folder.read("Model.xcdatamodeld/").model == model, "a slash at the end changes nothing")
    }

    @Test("row 2: a bare model is a bundle of one version") func aBareModelIsABundleOfOneVersion() throws {
        try folder.write(document("<entity name=\"A\"/>"), to: "Old.xcdatamodel/contents")
        for name in ["Old.xcdatamodel", "Old.xcdatamodel/contents"] {
            let (model, findings, _) = folder.read(name)
            #expect(findings.isEmpty)
            #expect(model?.name == "Old")
            #expect(model?.currentVersion?.name == "Old")
        }
    }

    @Test func aSingleVersionNeedsNoCurrentOne() throws {
        try folder.writeBundle("Model", versions: ["First"])
        let (model, findings, _) = folder.read("Model.xcdatamodeld")
        #expect(findings.isEmpty)
        #expect(model?.currentVersionName == "First")
    }

    @Test func severalVersionsNeedACurrentOne() throws {
        try folder.writeBundle("Model", versions: ["Model", "Model 2"])
        let result = folder.read("Model.xcdatamodeld")
        #expect(result.findings == ["error missing-current-version"])
        #expect(result.model?.currentVersionName == "Model 2", "reading goes on with the newest")
        let told = folder.read("Model.xcdatamodeld", ModelReader(currentVersionName: "Model"))
        #expect(told.findings.isEmpty)
        #expect(told.model?.currentVersionName == "Model")
        let wrong = folder.read("Model.xcdatamodeld", ModelReader(currentVersionName: "Model 3"))
        #expect(wrong.findings == ["error missing-current-version"])
    }

    @Test(arguments: [
        "<plist version=\"1.0\"><dict/></plist>", "<plist/>", "<other/>",
        "<plist><dict><key>Other</key><string>a</string></dict></plist>",
        "<plist><dict><key>_XCCurrentVersionName</key><true/></dict></plist>",
    ])
    func aVersionFileThatDoesNotTellIsAnError(text: String) throws {
        try folder.writeBundle("Model", versions: ["Model", "Model 2"])
        try folder.write(text, to: "Model.xcdatamodeld/.xccurrentversion")
        #expect(folder.read("Model.xcdatamodeld").findings == ["error missing-current-version"])
    }

    @Test func aVersionFileThatCannotBeReadIsAnError() throws {
        try folder.writeBundle("Model", versions: ["Model", "Model 2"])
        for text in ["", "bplist00", "<plist>", "<!DOCTYPE plist [<!ENTITY e \"Model\">]><plist/>"] {
            try folder.write(text, to: "Model.xcdatamodeld/.xccurrentversion")
            let result = folder.read("Model.xcdatamodeld")
            #expect(result.findings == ["error malformed-xml"])
            #expect(result.diagnostics.first?.location.file.hasSuffix(".xccurrentversion") == true)
        }
    }

    @Test func aCurrentVersionThatIsNotThereIsAnError() throws {
        try folder.writeBundle("Model", versions: ["Model"], current: "Model 7")
        let result = folder.read("Model.xcdatamodeld")
        #expect(result.findings == ["error missing-current-version"])
        #expect(result.diagnostics.first?.location.line == 6)
    }

    @Test func anEmptyBundleIsAnError() throws {
        try folder.write("", to: "Model.xcdatamodeld/readme")
        let result = folder.read("Model.xcdatamodeld")
        #expect(result.model == nil)
        #expect(result.findings == ["error empty-bundle"])
    }

    @Test func whatIsNotThereOrNoModelIsAnError() throws {
        #expect(folder.read("None.xcdatamodeld").findings == ["error model-not-found"])
        try folder.write("", to: "file.txt")
        #expect(folder.read("file.txt").findings == ["error not-a-model"])
        #expect(folder.read("").findings == ["error not-a-model"])
    }

    @Test func aVersionWithoutContentsIsAnError() throws {
        try folder.writeBundle("Model", versions: ["Model"], current: "Model")
        try folder.write("", to: "Model.xcdatamodeld/Model 2.xcdatamodel/layout")
        let result = folder.read("Model.xcdatamodeld")
        #expect(result.findings == ["error unreadable-file"])
        #expect(result.model?.versions.map(\.name) == ["Model"])
        try folder.write("", to: "Bare.xcdatamodel/contents/folder")
        #expect(folder.read("Bare.xcdatamodel").findings == ["error unreadable-file"])
    }

    @Test func binaryVersionsStopABuildOnlyWhenTheyAreCurrent() throws {
        try folder.writeBundle("Model", versions: ["Model 2"], current: "Model 2")
        try folder.write("bplist00", to: "Model.xcdatamodeld/Model.xcdatamodel/elements")
        let old = folder.read("Model.xcdatamodeld")
        #expect(old.findings == ["warning binary-model"])
        #expect(old.model?.versions.map(\.name) == ["Model 2"])
        let current = folder.read("Model.xcdatamodeld", ModelReader(currentVersionName: "Model"))
        #expect(current.findings == ["error binary-model"])
        try folder.write("bplist00", to: "Bare.xcdatamodel/elements")
        #expect(folder.read("Bare.xcdatamodel").findings == ["error binary-model"])
    }

    @Test func modelsWithinVersionsAreIgnored() throws {
        try folder.writeBundle("Model", versions: ["Model"], current: "Model")
        try folder.write("not XML", to: "Model.xcdatamodeld/Model.xcdatamodel/Stale.xcdatamodel/contents")
        try folder.write("not XML", to: "Model.xcdatamodeld/Model.xcdatamodel/.xccurrentversion")
        try folder.write("not XML", to: "Model.xcdatamodeld/._Model.xcdatamodel/contents")
        #expect(folder.read("Model.xcdatamodeld").findings.isEmpty)
        #expect(
            ModelFiles.inputs(ofModelAtPath: "\(folder.path)/Model.xcdatamodeld").map {
                $0.dropFirst(folder.path.count)
            }
                == ["/Model.xcdatamodeld/.xccurrentversion", "/Model.xcdatamodeld/Model.xcdatamodel/contents"])
    }

    @Test func allProblemsOfAllVersionsAreSeenAtOnce() throws {
        try folder.writeBundle("Model", versions: ["Model", "Model 2", "Model 3"])
        try folder.write("<model>", to: "Model.xcdatamodeld/Model.xcdatamodel/contents")
        try folder.write(document("<entity/>"), to: "Model.xcdatamodeld/Model 2.xcdatamodel/contents")
        let result = folder.read("Model.xcdatamodeld")
        #expect(
            result.findings.sorted()
                == ["error malformed-xml", "error missing-attribute", "error missing-current-version"])
        #expect(result.model?.versions.map(\.name) == ["Model 2", "Model 3"])
    }

    @Test func inputsAreThoseThatExist() throws {
        try folder.writeBundle("Model", versions: ["B", "A"])
        try folder.write("bplist00", to: "Model.xcdatamodeld/C.xcdatamodel/elements")
        let root = "\(folder.path)/Model.xcdatamodeld"
        let expected = ["A.xcdatamodel/contents", "B.xcdatamodel/contents", "C.xcdatamodel/elements"].map {
            "\(root)/\($0)"
        }
        #expect(ModelFiles.inputs(ofModelAtPath: root) == expected)
        #expect(ModelFiles.inputs(ofModelAtPath: expected[0]) == [expected[0]])
        #expect(ModelFiles.inputs(ofModelAtPath: "\(root)/A.xcdatamodel/") == [expected[0]])
        #expect(ModelFiles.inputs(ofModelAtPath: "\(folder.path)/None.xcdatamodeld").isEmpty)
    }
}
