public import DataModel

/// Applies the fixes of one version that need no person's decision, until none is left.
///
/// Everything happens in memory. Each round checks the version again, and applies fixes whose edits do not touch. A
/// round that would add an error, or make the model unreadable, is undone.
public struct SafeFixes: Sendable {
    /// A fix that was made.
    public struct Applied: Sendable, Hashable {
        /// The finding that it fixed.
        public var finding: Diagnostic
        public var fix: Diagnostic.Fix
    }

    /// A finding whose chosen fix was not made.
    public struct Refused: Sendable, Hashable {
        /// Why the chosen fix was not made.
        public enum Reason: Sendable, Hashable {
            /// The finding has fewer fixes than the number that was chosen.
            case noSuchFix
            /// The file cannot be changed exactly there.
            case notExact
            /// The model would have more errors.
            case moreErrors
            /// The finding would still be there.
            case noEffect
        }

        /// The finding, at its place in the fixed text.
        public var finding: Diagnostic
        /// The fix; nil if the finding has none with the chosen number.
        public var fix: Diagnostic.Fix?
        public var reason: Reason
    }

    /// The file's bytes with all fixes made.
    public private(set) var bytes: [UInt8]
    /// The fixes in the order in which they were made; places are those before the round that made them.
    public private(set) var applied: [Applied] = []
    /// The findings that remain although a fix of their code was chosen.
    public private(set) var refused: [Refused] = []
    private let file: String
    private let onlyErrors: Bool
    private let choices: [Diagnostic.Code: FixChoice]

    /// Fixes a version's `contents`.
    ///
    /// - Parameters:
    ///   - file: the path of the file, for the places of the findings.
    ///   - onlyErrors: whether warnings are left alone, as befits a released version.
    ///   - choices: Codes whose findings are fixed although the fix is not safe, because a person decided so.
    ///   - findings: Finds problems that the version does not show by itself, such as deletions from the one before.
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
        var attempts = Attempts()
        for _ in 0..<Self.maximumRounds {
            guard let round = nextRound(findings, attempts) else { break }
            let found = check(round.bytes, moreFindings)
            let left = Self.findings(of: round.applied, leftIn: found, of: findings)
            if !left.isEmpty {
                // The same fix would be made again and again.
                attempts.withoutEffect.formUnion(left)
                continue
            }
            if found.errorCount <= findings.errorCount, seen.insert(round.bytes).inserted {
                self.bytes = round.bytes
                findings = found
                applied += round.applied
                attempts.postponed = []
            } else if round.applied.count > 1 {
                // One of them is to blame: the first is tried by itself.
                attempts.postponed.formUnion(round.applied.dropFirst().map(\.fix))
            } else {
                attempts.refused.formUnion(round.applied.map(\.fix))
                attempts.postponed = []
            }
        }
        findRefused(findings, attempts)
    }

    /// The subject of a finding, independent of its place in the file.
    private struct Subject: Hashable {
        var code: Diagnostic.Code
        var message: String

        init(_ finding: Diagnostic) { (code, message) = (finding.code, finding.message) }
    }

    /// The fixes that are not tried again.
    private struct Attempts {
        /// Those that would lead to more errors.
        var refused: Set<Diagnostic.Fix> = []
        /// Those that wait until another was tried by itself.
        var postponed: Set<Diagnostic.Fix> = []
        /// The findings that their fix does not remove.
        var withoutEffect: Set<Subject> = []
    }

    /// The findings that a round of fixes did not remove: more remain than the number before minus the number of fixes.
    private static func findings(
        of applied: [Applied], leftIn after: Diagnostics, of before: Diagnostics
    ) -> Set<Subject> {
        func counts(_ findings: some Sequence<Diagnostic>) -> [Subject: Int] {
            Dictionary(findings.map { (Subject($0), 1) }, uniquingKeysWith: +)
        }
        let (before, after) = (counts(before.all), counts(after.all))
        return Set(
            counts(applied.map(\.finding)).filter { subject, count in
                after[subject] ?? 0 > max(0, (before[subject] ?? 0) - count)
            }.keys)
    }

    /// Records why the chosen fixes of the remaining findings were not made.
    private mutating func findRefused(_ findings: Diagnostics, _ attempts: Attempts) {
        if choices.isEmpty { return }
        var resolver = FindingResolver(bytes, file: file)
        for finding in resolver.resolved(findings).sorted where !onlyErrors || finding.severity == .error {
            guard let choice = choices[finding.code] else { continue }
            let fix = choice.fix(of: finding)
            let reason: Refused.Reason =
                if let fix {
                    attempts.withoutEffect.contains(Subject(finding))
                        ? .noEffect : resolver.edits(of: fix) == nil ? .notExact : .moreErrors
                } else {
                    .noSuchFix
                }
            refused.append(Refused(finding: finding, fix: fix, reason: reason))
        }
    }

    /// More rounds than any model needs, unless its fixes cause each other endlessly.
    private static let maximumRounds = 200

    private func nextRound(
        _ findings: Diagnostics, _ attempts: Attempts
    ) -> (bytes: [UInt8], applied: [Applied])? {
        var resolver = FindingResolver(bytes, file: file)
        var edits = SeparateEdits()
        var chosen: [Applied] = []
        for finding in resolver.resolved(findings).sorted where !onlyErrors || finding.severity == .error {
            let fix = finding.fixes.first { $0.isSafe } ?? choices[finding.code]?.fix(of: finding)
            guard let fix, !attempts.refused.contains(fix), !attempts.postponed.contains(fix),
                !attempts.withoutEffect.contains(Subject(finding)), let own = resolver.edits(of: fix), edits.insert(own)
            else {
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
        // Findings about other files are left to the fixes of those files.
        for finding in moreFindings(model).all where finding.location.file == file { diagnostics.report(finding) }
        return diagnostics
    }
}

extension Diagnostics {
    fileprivate var errorCount: Int { all.count { $0.severity == .error } }
}

/// Edits of different fixes without a common byte or border, so that none changes text that another relies on.
private struct SeparateEdits {
    /// The edits, in the order of their places.
    private(set) var all: [TextEdit] = []

    /// Adds the edits of a fix, unless one of them touches an existing one.
    mutating func insert(_ edits: [TextEdit]) -> Bool {
        for edit in edits {
            let position = position(of: edit)
            if position > 0, all[position - 1].range.upperBound >= edit.range.lowerBound { return false }
            if position < all.count, all[position].range.lowerBound <= edit.range.upperBound { return false }
        }
        for edit in edits { all.insert(edit, at: position(of: edit)) }
        return true
    }

    /// The number of edits that begin before another, or at the same place.
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
