import DataModel
import ModelFormat

/// Findings of an earlier text that take longer to look for than a person types.
///
/// Until they are looked for again, those are kept whose lines are as they were, wherever these are now.
struct FoundAdvice {
    private struct Found {
        var finding: Diagnostic
        var line: [UInt8]
        /// The number of lines of the text.
        var count: Int
    }

    private var all: [Found] = []

    init() {}

    init(_ diagnostics: Diagnostics, _ texts: ModelTexts) {
        var files: [String: [[UInt8]]] = [:]
        for finding in diagnostics.all {
            let lines = Self.lines(finding.location.file, texts, &files)
            all.append(
                Found(finding: finding, line: Self.line(finding.location.line, lines) ?? [], count: lines.count))
        }
    }

    /// The findings at their places in other texts.
    func moved(to texts: ModelTexts) -> Diagnostics {
        var files: [String: [[UInt8]]] = [:]
        var result = Diagnostics()
        for found in all {
            let lines = Self.lines(found.finding.location.file, texts, &files)
            for shift in [0, lines.count - found.count] {
                var finding = found.finding
                finding.location.line += shift
                if Self.line(finding.location.line, lines) ?? [] == found.line {
                    // A fix applies only to the text that it was made for.
                    if shift != 0 { finding.fixes = [] }
                    result.report(finding)
                    break
                }
            }
        }
        return result
    }

    private static func lines(
        _ file: String, _ texts: ModelTexts, _ known: inout [String: [[UInt8]]]
    ) -> [[UInt8]] {
        if let lines = known[file] { return lines }
        // The lines of other files do not move.
        let lines = texts.open[file].map { $0.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init) }
        known[file] = lines ?? []
        return lines ?? []
    }

    private static func line(_ number: Int, _ lines: [[UInt8]]) -> [UInt8]? {
        lines.indices.contains(number - 1) ? lines[number - 1] : nil
    }
}
