import DataModel
import Foundation
import ModelFormat
import Testing

@Suite struct ModelBundleEditorTests {
    private func inTemporaryFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "Editor-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test func aNewModelIsLegal() throws {
        try inTemporaryFolder { folder in
            let path = try ModelBundleEditor.makeModel(named: "Feed & <Co>", inFolder: folder)
            let (model, diagnostics) = ModelReader().read(atPath: path)
            #expect(diagnostics.all.isEmpty)
            let version = try #require(model?.currentVersion)
            #expect(version.name == "Feed & <Co>")
            #expect(ModelChecker.check(version).all.isEmpty)
        }
    }

    @Test func versionsAreNumberedOn() throws {
        try inTemporaryFolder { folder in
            let path = try ModelBundleEditor.makeModel(named: "Feed", inFolder: folder)
            #expect(try ModelBundleEditor.addVersion(toBundleAtPath: path) == "Feed 2")
            #expect(try ModelBundleEditor.addVersion(toBundleAtPath: path) == "Feed 3")
            let model = try #require(ModelReader().read(atPath: path).model)
            #expect(model.versions.map(\.name) == ["Feed", "Feed 2", "Feed 3"])
            #expect(model.currentVersionName == "Feed 3")
            #expect(model.versions[0].entities.map(\.name) == model.versions[2].entities.map(\.name))
        }
    }

    @Test func aVersionMayHaveANameThatComesLast() throws {
        try inTemporaryFolder { folder in
            let path = try ModelBundleEditor.makeModel(named: "Feed", inFolder: folder)
            #expect(try ModelBundleEditor.addVersion(toBundleAtPath: path, named: "Feed Tags") == "Feed Tags")
            #expect(throws: ModelEditingError.exists("\(path)/FEED tags.xcdatamodel")) {
                try ModelBundleEditor.addVersion(toBundleAtPath: path, named: "FEED tags")
            }
            #expect(throws: ModelEditingError.illegalName("a/b")) {
                try ModelBundleEditor.addVersion(toBundleAtPath: path, named: "a/b")
            }
            #expect(throws: ModelEditingError.notLast("Feed Search", last: "Feed Tags", example: "Feed Tags 2")) {
                try ModelBundleEditor.addVersion(toBundleAtPath: path, named: "Feed Search")
            }
            #expect(try ModelBundleEditor.addVersion(toBundleAtPath: path, named: "Feed 2.0") == "Feed 2.0")
            let model = try #require(ModelReader().read(atPath: path).model)
            #expect(model.versions.map(\.name) == ["Feed", "Feed Tags", "Feed 2.0"])
            #expect(model.currentVersionName == "Feed 2.0")
            // An order that is given does not depend on names.
            let reader = ModelReader(versionOrder: ["Feed", "Feed Tags", "Feed 2.0"])
            #expect(
                try ModelBundleEditor.addVersion(toBundleAtPath: path, named: "Alpha", reader: reader) == "Alpha")
        }
    }

    @Test func nothingIsOverwritten() throws {
        try inTemporaryFolder { folder in
            let path = try ModelBundleEditor.makeModel(named: "Feed", inFolder: folder)
            #expect(throws: ModelEditingError.exists(path)) {
                try ModelBundleEditor.makeModel(named: "Feed", inFolder: folder)
            }
            #expect(throws: ModelEditingError.illegalName("../Feed")) {
                try ModelBundleEditor.makeModel(named: "../Feed", inFolder: folder)
            }
            #expect(throws: ModelEditingError.noBundle(folder)) {
                try ModelBundleEditor.addVersion(toBundleAtPath: folder)
            }
            try FileManager.default.removeItem(atPath: path + "/Feed.xcdatamodel/contents")
            #expect(throws: ModelEditingError.noCurrentVersion(path)) {
                try ModelBundleEditor.addVersion(toBundleAtPath: path)
            }
        }
    }
}
