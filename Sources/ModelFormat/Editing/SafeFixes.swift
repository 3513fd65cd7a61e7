public import DataModel

/// Applies those fixes of one version that need no person's decision, until none is left.
///
/// All is done in memory. Each round checks the version again, and takes fixes whose edits do not touch; a round that
/// would add an error, or lose the model, is not kept.
public struct SafeFixes: Sendable {
    /// A fix that was made.
    public struct Applied: Sendable, Hashable {
        /// What it was for.
        public var finding: Diagnostic
        public var fix: Diagnostic.Fix
    }

    /// The file's bytes with all fixes made.
    public private(set) var bytes: [UInt8]
    /// The fixes in the order in which they were made; places are those before the round that made them.
    public private(set) var applied: [Applied] = []
    private let file: String
    private let onlyErrors: Bool
    private let choices: [Diagnostic.Code: FixChoice]

    /// Fixes a version's `contents`.
    ///
    /// - Parameters:
    ///   - file: the path of the file, for the places of the findings.
    ///   - onlyErrors: whether warnings are left alone, as befits a released version.
    ///   - choices: codes of which a fix is made although it is not safe, because a person decided so.
    ///   - findings: finds what the version does not tell by itself, such as what it deletes of the one before.
    public init(
        contents bytes: [UInt8], file: String, onlyErrors: Bool = false,
        alsoFixing choices: [Diagnostic.Code: FixChoice] = [:],
        findings moreFindings: (Model) -> Diagnostics = { _ in Diagnostics() }
    ) {
        self.bytes = bytes
        self.file = file
        self.onlyErrors = onlyErrors
        self.choices = choices
        var findings = check(bytes, moreFindings)
        var seen: Set<[UInt8]> = [bytes]
        var refused: Set<Diagnostic.Fix> = []
        var postponed: Set<Diagnostic.Fix> = []
        for _ in 0..<Self.maximumRounds {
            guard let round = nextRound(findings, without: refused.union(postponed)) else { break }
            let found = check(round.bytes, moreFindings)
            if found.errorCount <= findings.errorCount, seen.insert(round.bytes).inserted {
                self.bytes = round.bytes
                findings = found
                applied += round.applied
                postponed = []
            } else if round.applied.count > 1 {
                // One of them is to blame: the first is tried by itself.
                postponed.formUnion(round.applied.dropFirst().map(\.fix))
            } else {
                refused.formUnion(round.applied.map(\.fix))
                postponed = []
            }
        }
    }

    /// More rounds than any model needs whose fixes do not call for each other for ever.
    private static let maximumRounds = 200

    private func nextRound(
        _ findings: Diagnostics, without refused: Set<Diagnostic.Fix>
    ) -> (bytes: [UInt8], applied: [Applied])? {
        var resolver = FindingResolver(bytes, file: file)
        var edits = SeparateEdits()
        var chosen: [Applied] = []
        for finding in resolver.resolved(findings).sorted where !onlyErrors || finding.severity == .error {
            let fix = finding.fixes.first { $0.isSafe } ?? choices[finding.code]?.fix(of: finding)
            guard let fix, !refused.contains(fix), let own = resolver.edits(of: fix), edits.insert(own) else {
                continue
            }
            chosen.append(Applied(finding: finding, fix: fix))
        }
        return chosen.isEmpty ? nil : (edits.all.applied(to: bytes), chosen)
    }

    private func check(_ bytes: [UInt8], _ moreFindings: (Model) -> Diagnostics) -> Diagnostics {
        var (model, diagnostics) = ModelReader.read(contents: bytes, named: "", file: file)
        guard let model else { return diagnostics }
        diagnostics.report(contentsOf: ModelChecker.check(model, isCurrent: !onlyErrors))
        // Those are about the same file, or are for another one to mend.
        for finding in moreFindings(model).all where finding.location.file == file { diagnostics.report(finding) }
        return diagnostics
    }
}

extension Diagnostics {
    fileprivate var errorCount: Int { all.count { $0.severity == .error } }
}

/// Edits of different fixes that have no byte and no border in common, so that none changes what another relies on.
private struct SeparateEdits {
    /// The edits, in the order of their places.
    private(set) var all: [TextEdit] = []

    /// Adds the edits of a fix, unless one of them touches one that is there.
    mutating func insert(_ edits: [TextEdit]) -> Bool {
        for edit in edits {
            let position = position(of: edit)
            if position > 0, all[position - 1].range.upperBound >= edit.range.lowerBound { return false }
            if position < all.count, all[position].range.lowerBound <= edit.range.upperBound { return false }
        }
        for edit in edits { all.insert(edit, at: position(of: edit)) }
        return true
    }

    /// How many edits begin before another, or where it does.
    private func position(of edit: TextEdit) -> Int {
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle].range.lowerBound <= edit.range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
