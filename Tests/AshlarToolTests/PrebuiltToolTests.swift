import Foundation
import Testing
import ToolProgram

@testable import AshlarTool

/// The tool in the place of the generator, as the plugin runs the prebuilt one.
@Suite(.enabled(if: ToolProgram.isThere)) struct PrebuiltToolTests {
    private let entity = """
        <entity name="Post" representedClassName="Post"><attribute name="title" attributeType="String"/></entity>
        """

    @Test func theToolGeneratesATargetAsTheGeneratorDoes() throws {
        let folder = try TestFolder()
        let model = try folder.writeModel("Feed", entity)
        try folder.write(#"{ "models": ["\#(model)"] }"#, to: "Sources/Feed/ashlar.json")
        let outputs = ["Out/state", "Out/Feed+Model.swift", "Out/Feed+Entities1.swift"]
        try folder.write("", to: outputs[0])
        let paths = ["Sources/Feed", ""] + outputs
        let arguments = ["generate-target", "Feed"] + paths.map { folder.file($0).path }
        let generated = try ToolProgram.run(arguments, in: folder.url)
        #expect(generated.status == 0 && generated.messages.isEmpty)
        #expect(try ToolProgram.run(["generate", model, "--output", "Code"], in: folder.url).status == 0)
        #expect(try folder.text(outputs[1]) == folder.text("Code/Feed+Model.swift"))
        #expect(try folder.text(outputs[2]) == folder.text("Code/Feed+Entities1.swift"))
    }

    @Test func wrongArgumentsOfATargetAreRefused() throws {
        let folder = try TestFolder()
        let refused = try ToolProgram.run(["generate-target", "Feed"], in: folder.url)
        #expect(refused.status == 64)
        #expect(refused.messages.hasPrefix("usage: "))
    }

    /// A generator of another release may write code that the runtime does not accept.
    @Test func theManifestAsksForThePrebuiltToolOfThisRelease() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        #expect(manifest.contains("/ashlar-prebuilt\", exact: \"\(AshlarTool.releaseVersion)\")"))
    }
}
