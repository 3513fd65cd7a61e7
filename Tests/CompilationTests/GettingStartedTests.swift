import Foundation
import Testing

/// The article for newcomers: its model, its program and its tests, compiled as a reader would have them.
@Suite(Compiler.condition) struct GettingStartedTests {
    static let page = "Sources/Runtime/Ashlar/Ashlar.docc/GettingStarted.md"

    private let text: String
    private let blocks: [String]

    init() throws {
        text = try String(contentsOf: Compiler.root.appendingPathComponent(Self.page), encoding: .utf8)
        blocks = DocumentedBlock.fenced(in: text, of: Self.page).filter { !$0.isManifest }.map {
            $0.lines.joined(separator: "\n")
        }
    }

    @Test func theProgramAndItsTestsCompile() throws {
        try #require(blocks.count == 2)
        let (program, tests) = (blocks[0], blocks[1])
        let models = DocumentedBlock.fenced(in: text, of: Self.page, language: "xml").map {
            $0.lines.joined(separator: "\n")
        }
        try #require(models.count == 2)

        let folder = try GenerationFolder()
        let first = try folder.generate(models[0], named: "Library")
        let complaints = try Compiler.complaints(
            about: first + [try folder.write(program, to: "First.swift")], module: "Library")
        #expect(complaints.isEmpty, "\(complaints.prefix(3000))")

        // The second version, as the page says: one line becomes two, and the compiler asks for the new name.
        let lines = models[0].split(separator: "\n").map { $0.contains("\"pages\"") ? models[1] : String($0) }
        let second = try folder.generate(lines.joined(separator: "\n"), named: "Library")
        let changed = program.replacing("$0.pages", with: "$0.pageCount").replacing("pages:", with: "pageCount:")
        let module = second + [try folder.write(changed, to: "Second.swift")]
        let others = try Compiler.complaints(
            about: module, options: ["-enable-testing"], module: "Library", output: folder.url)
        #expect(others.isEmpty, "\(others.prefix(3000))")
        let last = try Compiler.complaints(
            about: [try folder.write(tests, to: "Tests.swift")],
            options: ["-I", folder.url.path] + Compiler.optionsForTests(), module: "LibraryTests")
        #expect(last.isEmpty, "\(last.prefix(3000))")
    }
}
