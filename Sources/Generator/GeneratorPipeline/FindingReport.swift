public import DataModel
import Foundation
public import ModelFormat

/// Findings as JSON, for editors and scripts. `Documentation/Diagnostics.md` describes the form.
public struct FindingReport: Sendable, Encodable {
    /// A place in a file; line and column are counted from 1, and are 0 when they are not known.
    struct Place: Sendable, Encodable {
        var line: Int
        var column: Int

        init(_ location: SourceLocation) {
            line = location.line
            column = location.column
        }
    }

    struct Edit: Sendable, Encodable {
        var start: Place
        var end: Place
        /// The bytes that are replaced, counted from 0.
        var startOffset: Int
        var endOffset: Int
        var replacement: String
    }

    struct Fix: Sendable, Encodable {
        var title: String
        var safe: Bool
        var file: String
        var edits: [Edit]
    }

    struct Silence: Sendable, Encodable {
        var key: String
        var value: String
    }

    struct Finding: Sendable, Encodable {
        var code: Diagnostic.Code
        var severity: Diagnostic.Severity
        var file: String
        var line: Int
        var column: Int
        var end: Place?
        var message: String
        var notes: [String]
        var fixes: [Fix]
        var silence: Silence?
    }

    /// A fix that was made.
    struct Applied: Sendable, Encodable {
        var file: String
        var code: Diagnostic.Code
        var message: String
        var title: String
    }

    /// The version of the form. It grows when something is removed or changes its meaning.
    private let version = 1
    private var findings: [Finding] = []
    private var fixed: [Applied] = []

    /// Makes a report without findings.
    public init() {}

    /// Adds findings in the order of their places.
    public mutating func add(_ diagnostics: Diagnostics, resolver: inout FindingResolver) {
        for finding in diagnostics.sorted {
            let fixes = finding.fixes.compactMap { fix in
                resolver.edits(of: fix).map { edits in
                    Fix(title: fix.title, safe: fix.isSafe, file: edits[0].file, edits: edits.map(Edit.init))
                }
            }
            findings.append(
                Finding(
                    code: finding.code, severity: finding.severity, file: finding.location.file,
                    line: finding.location.line, column: finding.location.column,
                    end: resolver.end(of: finding).map(Place.init), message: finding.message, notes: finding.notes,
                    fixes: fixes,
                    silence: finding.severity == .error
                        ? nil : Silence(key: "ashlar.silence", value: finding.code.rawValue)))
        }
    }

    /// Adds the fixes that were made in a file.
    public mutating func add(_ file: ModelFixer.FixedFile) {
        fixed += file.applied.map {
            Applied(file: file.path, code: $0.finding.code, message: $0.finding.message, title: $0.fix.title)
        }
    }

    /// The report as text that ends with a line break.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}

extension FindingReport.Edit {
    fileprivate init(_ edit: TextEdit) {
        self.init(
            start: FindingReport.Place(edit.start), end: FindingReport.Place(edit.end),
            startOffset: edit.range.lowerBound, endOffset: edit.range.upperBound, replacement: edit.replacement)
    }
}
