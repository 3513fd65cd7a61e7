import Foundation
import Testing
import ToolProgram

/// Committed generated code, and the check that it matches the model.
@Suite(.enabled(if: ToolProgram.isThere)) struct GenerateTests {
    let folder: TestFolder
    let model: String

    init() throws {
        folder = try TestFolder()
        model = try folder.writeModel("Feed", Self.entity("Post"))
    }

    private static func entity(_ name: String) -> String {
        #"<entity name="\#(name)" representedClassName="\#(name)"><attribute name="title" attributeType="String"/></entity>"#
    }

    private func generate(_ options: String...) throws -> ToolProgram.Run {
        try ToolProgram.run(["generate", model, "--output", "Code"] + options, in: folder.url)
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.file("Code").path).sorted() }
    }

    @Test func theCodeOfTheModelPasses() throws {
        #expect(try generate("--shards", "2").status == 0)
        let check = try generate("--shards", "2", "--check")
        #expect(check.status == 0 && check.results.isEmpty && check.messages.isEmpty)
    }

    @Test func aMissingFolderIsStaleAndStaysMissing() throws {
        let check = try generate("--check")
        #expect(check.status == 1)
        #expect(check.results == "Code/Feed+Model.swift: does not exist\nCode/Feed+Entities1.swift: does not exist\n")
        #expect(!FileManager.default.fileExists(atPath: folder.file("Code").path))
    }

    @Test func aChangeOfTheModelOrOfTheCodeIsFound() throws {
        #expect(try generate().status == 0)
        _ = try folder.writeModel("Feed", Self.entity("Article"))
        let before = try folder.text("Code/Feed+Entities1.swift")
        let check = try generate("--check")
        #expect(check.status == 1)
        #expect(check.results.contains("Code/Feed+Entities1.swift: differs from the generated code\n"))
        #expect(check.messages.contains("Generate it again without --check"))
        #expect(try folder.text("Code/Feed+Entities1.swift") == before)
        #expect(try generate().status == 0)
        #expect(try generate("--check").status == 0)
        try folder.write(try folder.text("Code/Feed+Model.swift") + "// mine\n", to: "Code/Feed+Model.swift")
        #expect(try generate("--check").results == "Code/Feed+Model.swift: differs from the generated code\n")
    }

    @Test func filesOfMoreShardsGoAndOthersStay() throws {
        #expect(try generate("--shards", "3").status == 0)
        try folder.write("// mine\n", to: "Code/Feed+Entities9.swift")
        let check = try generate("--check")
        #expect(check.status == 1)
        #expect(check.results.contains("Code/Feed+Entities2.swift: is no longer generated\n"))
        #expect(!check.results.contains("Entities9"))
        #expect(try generate().status == 0)
        #expect(try names == ["Feed+Entities1.swift", "Feed+Entities9.swift", "Feed+Model.swift"])
    }

    @Test func aModelWithErrorsChangesNothing() throws {
        #expect(try generate().status == 0)
        _ = try folder.writeModel("Feed", #"<entity name="Post" parentEntity="Nothing"/>"#)
        let before = try folder.text("Code/Feed+Model.swift")
        for options in [[], ["--check"]] {
            let run = try ToolProgram.run(["generate", model, "--output", "Code"] + options, in: folder.url)
            #expect(run.status == 1 && run.messages.contains("error: "))
        }
        #expect(try folder.text("Code/Feed+Model.swift") == before)
    }
}
