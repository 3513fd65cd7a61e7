import FileErrors
import Foundation
import IndexAdvice

/// The plans of statements as a text in which a review shows the changes: an entry for each statement, in their order,
/// without values and lists of columns.
struct PlanFile: Equatable {
    /// The plans of each statement. There are several if statements that differ only in their columns have different
    /// plans.
    private(set) var plans: [String: Set<[String]>] = [:]

    init() {}

    mutating func add(_ sql: String, _ plan: [String]) {
        plans[StatementText.abbreviated(sql), default: []].insert(plan)
    }

    private static let comment = "# "
    private static let indentation = "    "
    /// The text for a plan without a step.
    private static let noSteps = "(no step)"

    // MARK: Text

    var text: String {
        var lines = [
            "# How SQLite carries out each query. A test compares it; ASHLAR_UPDATE_PLANS=1 has the test write it."
        ]
        for (sql, plans) in plans.sorted(by: { $0.key < $1.key }) {
            for plan in Self.sorted(plans) {
                lines += ["", Self.line(sql)]
                lines += (plan.isEmpty ? [Self.noSteps] : plan).map { Self.indentation + $0 }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Reads a text. Comments and empty lines are skipped, and lines may end as on any system.
    init(_ text: String) {
        var sql: String?
        var plan: [String] = []
        func add(_ file: inout PlanFile) {
            guard let sql else { return }
            file.plans[sql, default: []].insert(plan == [Self.noSteps] ? [] : plan)
        }
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix(Self.comment) {
            if line.hasPrefix(Self.indentation) {
                plan.append(String(line.dropFirst(Self.indentation.count)))
            } else {
                add(&self)
                (sql, plan) = (String(line), [])
            }
        }
        add(&self)
    }

    /// A name may have a line break in it, which would end the entry.
    private static func line(_ sql: String) -> String { sql.split(whereSeparator: \.isNewline).joined(separator: " ") }

    private static func sorted(_ plans: Set<[String]>) -> [[String]] {
        plans.sorted { $0.joined(separator: "\n") < $1.joined(separator: "\n") }
    }

    // MARK: Comparing

    /// The statements whose plans differ, in their order.
    func differences(to found: PlanFile) -> [QueryPlanDifference] {
        Set(plans.keys).union(found.plans.keys).sorted().compactMap { sql in
            let (expected, new) = (plans[sql] ?? [], found.plans[sql] ?? [])
            if expected == new { return nil }
            return QueryPlanDifference(sql: sql, expected: Self.sorted(expected), found: Self.sorted(new))
        }
    }

    /// Compares the plans that were found with those of a file, or writes it.
    func compare(withFileAt path: String, isWriting: Bool) throws(QueryPlanError) {
        let url = URL(fileURLWithPath: path)
        // The plans are compared as they are read again, so that a name with a line break is the same.
        let found = PlanFile(text)
        if isWriting {
            do {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: url, options: .atomic)
            } catch {
                throw .notWritten(path: path, reason: FileErrorReason.text(error))
            }
            return
        }
        if !FileManager.default.fileExists(atPath: path) { throw .noFile(path: path) }
        let known: PlanFile
        do {
            known = PlanFile(String(decoding: try Data(contentsOf: url), as: UTF8.self))
        } catch {
            throw .unreadable(path: path, reason: FileErrorReason.text(error))
        }
        let differences = known.differences(to: found)
        if !differences.isEmpty { throw .different(path: path, differences) }
    }
}
