import DataModel
import FileErrors
import Foundation
import Testing

@testable import AshlarTool

@Suite struct TextTests {
    @Test(arguments: [
        ("plain", "plain"), ("Größe\t2", "Größe\t2"), ("a\u{1B}[2Jb", #"a\u{1B}[2Jb"#), ("\r", #"\u{D}"#),
        ("\u{9B}31m", #"\u{9B}31m"#), ("\u{7F}", #"\u{7F}"#), ("\u{202E}abc", #"\u{202E}abc"#), ("“é”", "“é”"),
        ("\u{2028}", #"\u{2028}"#), ("👩‍👩‍👧", "👩‍👩‍👧"),
    ])
    func whatATerminalWouldObeyIsWrittenAsItsNumber(_ text: String, _ escaped: String) {
        #expect(TerminalText.escaped(text) == escaped)
        #expect(TerminalText.line(text) == escaped)
    }

    @Test func lineBreaksStayWhereLinesAreMeant() {
        #expect(TerminalText.escaped("a\nb") == "a\nb")
        #expect(TerminalText.line("a\nb") == #"a\u{A}b"#)
    }

    /// The generator prints findings too, in everybody's build.
    @Test func aFindingIsALine() {
        let location = SourceLocation(file: "a\nb", line: 1, column: 2)
        let finding = Diagnostic(.unknownKey, at: location, "the \u{1B}[31mkey", notes: ["one\ntwo"])
        #expect(
            finding.description == #"""
                a\u{A}b:1:2: warning: the \u{1B}[31mkey [unknown-key]
                a\u{A}b:1:2: note: one\u{A}two
                """#)
        #expect(
            finding.lines.map { TextSpan.text($0, isColoured: false) }.joined(separator: "\n") == finding.description)
    }

    @Test func onlyOurOwnColoursAreCommands() {
        let line = [TextSpan("error: ", .error), TextSpan("\u{1B}[2J")]
        #expect(TextSpan.text(line, isColoured: true) == "\u{1B}[1;31merror: \u{1B}[0m\\u{1B}[2J")
    }

    @Test(arguments: [
        (true, [:], true), (true, ["NO_COLOR": ""], true), (true, ["NO_COLOR": "1"], false),
        (true, ["TERM": "dumb"], false), (false, [:], false),
    ])
    func coloursAreForTerminals(_ isTerminal: Bool, _ environment: [String: String], _ expected: Bool) {
        #expect(CommandOutput.usesColours(isTerminal: isTerminal, environment: environment) == expected)
    }

    /// Foundation nests the system's errors, and describes some of them as a number.
    @Test func reasonsOfFilesAreTheSystems() throws {
        func reason(_ body: () throws -> Void) -> String {
            do {
                try body()
                return ""
            } catch {
                return FileErrorReason.text(error)
            }
        }
        let none = URL(fileURLWithPath: "/nowhere/file")
        #expect(reason { _ = try Data(contentsOf: none) } == "No such file or directory")
        #expect(reason { _ = try Data(contentsOf: URL(fileURLWithPath: "/")) } == "Is a directory")
        #expect(reason { try Data().write(to: none, options: .atomic) } == "No such file or directory")
        #expect(
            reason { try FileManager.default.createDirectory(atPath: "/dev/null/a", withIntermediateDirectories: true) }
                == "Not a directory")
        #expect(reason { throw POSIXError(.ENOSPC) } == "No space left on device")
        #expect(reason { throw CocoaError(.fileWriteFileExists) } == "File exists")
        #expect(!reason { throw CocoaError(CocoaError.Code(rawValue: 9999)) }.contains("Domain"))
        #expect(!reason { _ = try JSONSerialization.jsonObject(with: Data("{".utf8)) }.contains("Domain"))
    }
}
