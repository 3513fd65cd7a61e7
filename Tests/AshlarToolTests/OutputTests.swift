import Foundation
import Testing
import ToolProgram

@testable import AshlarTool

/// The streams of results and messages, and the form of the text on each.
@Suite(.enabled(if: ToolProgram.isThere)) struct OutputTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func run(_ arguments: String...) throws -> ToolProgram.Run {
        try ToolProgram.run(arguments, in: folder.url)
    }

    @Test func findingsAreNoResults() throws {
        let model = try folder.writeModelWithWarning()
        let run = try run("sql", model)
        #expect(run.status == 0)
        #expect(run.results.hasPrefix("CREATE TABLE"))
        #expect(run.messages.contains("warning: ") && run.messages.contains("[missing-inverse]"))
        #expect(!run.messages.contains("\u{1B}"))
        let check = try self.run("check", model)
        #expect(check.results == "\(model): 1 entity, 1 version\n")
        #expect(check.messages.contains("[missing-inverse]"))
    }

    @Test func theVersion() throws {
        let run = try run("--version")
        #expect(run.status == 0 && run.messages.isEmpty)
        #expect(run.results == "ashlar \(AshlarTool.releaseVersion)\n")
        // Two commands have an option of this name.
        let model = try folder.writeModelWithWarning()
        #expect(try self.run("sql", model, "--version", "Feed").results.hasPrefix("CREATE TABLE"))
        #expect(try self.run("diagram", model, "--version", "Feed").results.hasPrefix("<"))
    }

    @Test func helpIsAResultAndAMistakeIsNone() throws {
        let help = try run("sql", "--help")
        #expect(help.status == 0 && help.messages.isEmpty && help.results.contains("USAGE: ashlar sql"))
        let mistake = try run("sql")
        #expect(mistake.status == 64 && mistake.results.isEmpty)
        #expect(mistake.messages.hasPrefix("error: Missing expected argument"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completion(_ shell: String) throws {
        let run = try run("--generate-completion-script", shell)
        #expect(run.status == 0 && run.messages.isEmpty)
        #expect(run.results.contains("new-version"))
    }

    /// A truncated file is worse than no file.
    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
        arguments: [
            ["sql", "M"], ["check", "M"], ["diagram", "M"], ["lock", "M"], ["check", "M", "--format", "json"],
            ["--help"],
            ["--version"], ["advise", "M"], ["sql", "M", "--format", "json"], ["init", "Other"], ["new-version", "M"],
        ])
    func aWriteThatFailsIsAFailure(_ arguments: [String]) throws {
        let model = try folder.writeModelWithWarning()
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let run = try ToolProgram.run(arguments.map { $0 == "M" ? model : $0 }, in: folder.url, results: full)
        #expect(run.status == 74)
        #expect(
            run.messages.contains("error: The output to standard output is not complete: No space left"))
    }

    @Test func filesThatCannotBeWritten() throws {
        let model = try folder.writeModelWithWarning()
        try folder.write("", to: "file")
        for arguments in [
            ["generate", model, "--output", "file/a"], ["diagram", model, "--output", "file/a.svg"],
            ["sql", model, "--write", "file/a"], ["init", "Other", "--folder", "file"],
        ] {
            let run = try ToolProgram.run(arguments, in: folder.url)
            #expect(run.status == 73, "\(arguments)")
            let names = ["Not a directory", "No such file or directory"]
            #expect(names.contains { run.messages.contains(": \($0). Check the path") }, "\(run.messages)")
        }
        try folder.write("", to: "Models/Feed.xcdatamodeld.lock/file")
        let run = try run("lock", model, "--anew")
        #expect(run.status == 73 && run.messages.contains("Is a directory"), "\(run.messages)")
        #expect(try self.run("init", "Feed").status == 73)
        #expect(try self.run("init", "a/b").status == 64)
    }

    #if os(Linux)
        @Test func terminalsHaveColours() throws {
            let model = try folder.writeModelWithWarning()
            let shown = try ToolProgram.onTerminal(["check", model], in: folder.url)
            #expect(shown.contains("\u{1B}[1;35mwarning: \u{1B}[0m"))
            let plain = try ToolProgram.onTerminal(["check", model], in: folder.url, environment: ["NO_COLOR": "1"])
            #expect(plain.contains("warning: ") && !plain.contains("\u{1B}"))
        }

        /// A model is a file from elsewhere. Into a file it goes byte by byte.
        @Test func terminalsAreGivenNoCommandsOfAModels() throws {
            let model = try folder.writeModelWithWarning(note: "\u{9B}2J")
            #expect(try run("sql", model).results.contains("\u{9B}2J"))
            let shown = try ToolProgram.onTerminal(["sql", model], in: folder.url, results: true)
            #expect(shown.contains(#"\u{9B}2J"#) && !shown.contains("\u{9B}"))
        }
    #endif
}
