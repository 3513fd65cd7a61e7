public import Foundation

/// Advice as text for people and as JSON for editors and scripts. `Documentation/Advice.md` describes both.
public struct AdviceReport: Sendable {
    private let advice: IndexAdvice
    private let unreadableLineCount: Int

    /// Makes a report.
    ///
    /// - Parameter unreadableLineCount: The number of lines of the recording that are not statements.
    public init(_ advice: IndexAdvice, unreadableLineCount: Int = 0) {
        self.advice = advice
        self.unreadableLineCount = unreadableLineCount
    }

    // MARK: Text

    /// The report for people; it ends with a line break.
    public var text: String {
        var blocks: [[String]] = advice.findings.compactMap { finding in
            finding.after != nil || finding.reason != nil ? lines(finding) : nil
        }
        blocks += advice.additions.map { addition in
            [
                "\(addition.entityLocation): Add to entity '\(addition.index.entityName)',"
                    + " for \(Self.count(addition.queries.count, "query", "queries")):"
            ] + addition.lines.map { "    " + $0 }
        }
        blocks += advice.removals.map { [text($0)] }
        for skipped in advice.skipped {
            blocks.append(["Not explained, since \(skipped.reason):", "    " + skipped.query.sql])
        }
        if unreadableLineCount > 0 {
            blocks.append([Self.count(unreadableLineCount, "line", "lines") + " of the recording cannot be read."])
        }
        blocks.append([summary])
        return blocks.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
    }

    private func lines(_ finding: IndexAdvice.Finding) -> [String] {
        var title = finding.query.title
        if let location = finding.query.location { title = "\(location): \(title)" }
        if let usage = finding.query.usage {
            title += ", \(Self.count(usage.count, "time", "times")), \(Self.milliseconds(usage.seconds)) ms"
        }
        var lines = [title, "    " + StatementText.abbreviated(finding.query.sql)]
        lines += Self.labelled("before: ", finding.before.lines)
        if let after = finding.after { lines += Self.labelled("after:  ", after.lines) }
        if let reason = finding.reason { lines.append("    no index: " + reason) }
        return lines
    }

    private static func labelled(_ label: String, _ lines: [String]) -> [String] {
        lines.enumerated().map { index, line in
            "    " + (index == 0 ? label : String(repeating: " ", count: label.count)) + line
        }
    }

    private func text(_ removal: IndexAdvice.Removal) -> String {
        let what = removal.isFetchIndex ? "Index" : "The index of attribute"
        let why =
            switch removal.reason {
            case .unused: "no query uses it"
            case .beginningOf(let name): "'\(name)' begins with the same, and serves the same searches"
            }
        return "\(removal.location): \(what) '\(removal.name)' of '\(removal.entityName)' can go: \(why)"
    }

    private var summary: String {
        let better = advice.findings.count { $0.after != nil }
        let queries = Self.count(advice.findings.count, "query", "queries")
        return
            "\(queries) explained, \(better) better with \(Self.count(advice.additions.count, "new index", "new indexes"))."
    }

    private static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }

    private static func milliseconds(_ seconds: Double) -> String { String(format: "%.1f", seconds * 1000) }

    // MARK: JSON

    private struct Index: Encodable {
        var entity: String
        var name: String
        var file: String
        var line: Int
        var element: String
        var queries: [Int]
    }

    private struct Query: Encodable {
        var title: String
        var sql: String
        var file: String?
        var line: Int?
        var count: Int?
        var seconds: Double?
        var before: [String]
        var after: [String]?
        var reason: String?
    }

    private struct Removal: Encodable {
        var entity: String
        var name: String
        var file: String
        var line: Int
        /// The index that makes it superfluous; absent where it is unused.
        var beginningOf: String?
    }

    private struct Skipped: Encodable {
        var sql: String
        var reason: String
    }

    private struct Form: Encodable {
        /// The version of the form. It grows when something is removed or changes its meaning.
        var version = 1
        var indexes: [Index]
        var queries: [Query]
        var removals: [Removal]
        var skipped: [Skipped]
        var unreadableLines: Int
    }

    /// The report as text that ends with a line break.
    public func json() throws -> Data {
        let form = Form(
            indexes: advice.additions.map {
                Index(
                    entity: $0.index.entityName, name: $0.name, file: $0.entityLocation.file,
                    line: $0.entityLocation.line, element: $0.lines.joined(separator: "\n"), queries: $0.queries)
            },
            queries: advice.findings.map {
                Query(
                    title: $0.query.title, sql: $0.query.sql, file: $0.query.location?.file,
                    line: $0.query.location?.line, count: $0.query.usage?.count, seconds: $0.query.usage?.seconds,
                    before: $0.before.lines, after: $0.after?.lines, reason: $0.reason)
            },
            removals: advice.removals.map {
                var longer: String?
                if case .beginningOf(let name) = $0.reason { longer = name }
                return Removal(
                    entity: $0.entityName, name: $0.name, file: $0.location.file, line: $0.location.line,
                    beginningOf: longer)
            }, skipped: advice.skipped.map { Skipped(sql: $0.query.sql, reason: $0.reason) },
            unreadableLines: unreadableLineCount)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(form) + Data("\n".utf8)
    }
}
