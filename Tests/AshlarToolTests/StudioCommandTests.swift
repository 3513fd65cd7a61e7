import Foundation
import Testing

@testable import AshlarTool

/// `ashlar studio` finds the program or the package to run.
@Suite struct StudioCommandTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func make(_ path: String, isExecutable: Bool = false) throws -> URL {
        let url = folder.file(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("x".utf8).write(to: url)
        if isExecutable {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
        }
        return url
    }

    @Test func aProgramBesideTheToolIsRun() throws {
        let tool = try make("bin/ashlar")
        let source = try make("checkout/Sources/Tools/AshlarTool/StudioCommand.swift")
        #expect(StudioProgram.find(besides: tool, source: source) == nil)
        let manifest = try make("checkout/Studio/Package.swift")
        let package = manifest.deletingLastPathComponent().path
        let found = try #require(StudioProgram.find(besides: tool, source: source))
        #expect(
            found.words(["Feed.store", "--writable"]) == [
                "/usr/bin/env", "swift", "run", "--package-path", package, "ashlar-studio", "Feed.store", "--writable",
            ])
        let program = try make("bin/ashlar-studio", isExecutable: true)
        #expect(
            StudioProgram.find(besides: tool, source: source)?.words(["Feed.store"]) == [program.path, "Feed.store"])
    }

    @Test func optionsAreThoseOfStudio() throws {
        let command = try #require(
            try AshlarTool.parseAsRoot(["studio", "Feed.store", "--port", "1", "--writable"]) as? StudioCommand)
        #expect(command.arguments == ["Feed.store", "--port", "1", "--writable"])
    }

    /// The checkout of this test has the package.
    @Test func theCheckoutHasStudio() {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/Tools/AshlarTool/StudioCommand.swift")
        #expect(StudioProgram.find(besides: URL(fileURLWithPath: "/nowhere/ashlar"), source: source) != nil)
    }
}
