import DataModel
import Foundation
import ModelFormat

import struct GeneratorPipeline.FindingReport
import struct GeneratorPipeline.GeneratorConfiguration
import enum GeneratorPipeline.MigrationFindings

extension Check {
    /// Puts a model right, or shows how; tells whether there was something to do.
    func applyFixes(
        _ path: String, _ options: GeneratorConfiguration, _ report: inout FindingReport
    ) throws -> Bool {
        let choices = Dictionary(also.map { ($0.code, $0.choice) }, uniquingKeysWith: { _, last in last })
        let files = ModelFixer.fixedFiles(
            ofModelAtPath: path, reader: options.reader(ofModelAtPath: path), alsoFixing: choices,
            findings: { MigrationFindings.find(in: $0) })
        for file in files {
            if dryRun {
                try CommandOutput.results.write(
                    data: LineDifference(from: file.before, to: file.after).patch(ofFile: file.path))
                continue
            }
            try ModelFixer.write(file)
            report.add(file)
            for applied in file.applied where format == .text {
                let finding = applied.finding
                try CommandOutput.results.write(
                    line: "\(finding.location): fixed: \(applied.fix.title) [\(finding.code.rawValue)]")
            }
        }
        return !files.isEmpty
    }
}

/// Prints a finding as compilers do, then each of its fixes with the lines that it changes.
func printFinding(_ finding: Diagnostic, _ resolver: inout FindingResolver) throws {
    var lines = finding.lines
    for fix in finding.fixes {
        guard let edits = resolver.edits(of: fix), let bytes = resolver.bytes(ofFile: edits[0].file) else { continue }
        lines.append([
            TextSpan("\(finding.location): ", .place), TextSpan("note: ", .note),
            TextSpan("fix\(fix.isSafe ? " (safe)" : ""): \(fix.title)"),
        ])
        lines += LineDifference(making: edits, in: bytes).changes.map { change in
            [TextSpan("    "), TextSpan(change.text, TextSpan.Role(change))]
        }
    }
    try CommandOutput.messages.write(lines: lines)
}
