import DataModel
import Foundation
import ModelFormat

import struct GeneratorPipeline.FindingReport
import struct GeneratorPipeline.GeneratorConfiguration
import enum GeneratorPipeline.MigrationFindings
import struct GeneratorPipeline.ModelPlan

extension Check {
    /// Corrects a model, or shows how; returns whether there was something to do.
    func applyFixes(
        _ path: String, _ options: GeneratorConfiguration, _ report: inout FindingReport
    ) throws -> Bool {
        let bundle = ModelPlan.name(ofModelAtPath: path)
        let choices = Dictionary(also.map { ($0.code, $0.choice) }, uniquingKeysWith: { _, last in last })
        let files = ModelFixer.fixedFiles(
            ofModelAtPath: path, reader: options.reader(ofModelAtPath: path), alsoFixing: choices,
            findings: {
                MigrationFindings.find(in: $0, leadingTo: $1, oldestVersionName: options.oldestVersion?[bundle])
            })
        for file in files {
            for refused in file.refused where format == .text {
                try CommandOutput.messages.write(line: refused.text)
            }
            if file.applied.isEmpty { continue }
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
        return files.contains { !$0.applied.isEmpty }
    }
}

extension SafeFixes.Refused {
    /// The finding, and the reason why the requested fix was not made.
    fileprivate var text: String {
        let reason =
            switch reason {
            case .noSuchFix where finding.fixes.isEmpty: "it has no fix"
            case .noSuchFix: "it has no such fix, but \(counted(finding.fixes.count, "other", "others"))"
            case .notExact: "the file cannot be changed exactly there"
            case .moreErrors: "the model would have more errors"
            case .noEffect: "the finding would stay"
            }
        let title = fix.map { ": \($0.title)" } ?? ""
        return "\(finding.location): not fixed: \(finding.message)\(title): \(reason) [\(finding.code.rawValue)]"
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
