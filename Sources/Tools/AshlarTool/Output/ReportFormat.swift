import ArgumentParser
import DataModel
import ModelFormat

/// The format of a command's report: for people, or for programs.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

/// The option that each command has that reports.
struct ReportArguments: ParsableArguments {
    @Option(help: "How to report: text, or json on standard output.")
    var format = ReportFormat.text
}

/// A number of things, in words that go with it.
func counted(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }

/// Prints findings as compilers do. Notes are left out: only checks print them.
func printFindings(_ diagnostics: Diagnostics) throws {
    let findings = diagnostics.sorted.filter { $0.severity != .note }
    let lines = findings.flatMap { finding in
        finding.lines
            + finding.fixes.map { fix in
                [
                    TextSpan("\(finding.location): ", .place), TextSpan("note: ", .note),
                    TextSpan("fix: \(fix.title)"),
                ]
            }
    }
    try CommandOutput.messages.write(lines: lines)
}

/// Prints the reason why a command failed.
func printError(_ message: String) throws {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false).map { [TextSpan(String($0))] }
    try CommandOutput.messages.write(
        lines: [[TextSpan("error: ", .error)] + (lines.first ?? [])] + lines.dropFirst())
}

extension TextSpan.Role {
    /// Of a line of a patch.
    init(_ line: LineDifference.Line) {
        switch line {
        case .common: self = .plain
        case .removed: self = .removed
        case .added: self = .added
        }
    }
}
