/// An error of comparing query plans in a test.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum QueryPlanError: Error, Sendable, Hashable {
    /// SQLite cannot explain a statement. A recording in a file may come from another version of the model.
    case notExplained(sql: String, reason: String)
    /// The file of plans does not exist yet.
    case noFile(path: String)
    /// The file of plans, or that of recorded statements, cannot be read.
    case unreadable(path: String, reason: String)
    /// The file of plans cannot be written.
    case notWritten(path: String, reason: String)
    /// The plans differ from those in the file.
    case different(path: String, [QueryPlanDifference])
}

/// A query whose plan differs from that in a file, or that only one of them has.
public struct QueryPlanDifference: Sendable, Hashable, CustomStringConvertible {
    /// The statement, without its list of columns.
    public let sql: String
    /// The plans in the file; empty if it does not have the statement.
    public let expected: [[String]]
    /// The plans that were found; empty if the statement was not executed.
    public let found: [[String]]

    /// The statement, and under it the missing steps with `-` and the new ones with `+`.
    public var description: String {
        let gone = expected.filter { !found.contains($0) }
        let new = found.filter { !expected.contains($0) }
        var lines = [sql]
        if expected.isEmpty { lines.append("  (not in the file)") }
        if found.isEmpty { lines.append("  (did not run)") }
        for plan in gone { lines += plan.map { "  - \($0)" } }
        for plan in new { lines += plan.map { "  + \($0)" } }
        return lines.joined(separator: "\n")
    }
}

extension QueryPlanError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notExplained(let sql, let reason):
            "SQLite does not explain a statement: \(reason). If it is from a file, record again the statements of the "
                + "program that has this version of the model.\n\(sql)"
        case .noFile(let path):
            "There are no plans at \(path). Run the test with ASHLAR_UPDATE_PLANS=1 once, and commit the file."
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)."
        case .notWritten(let path, let reason): "The plans cannot be written to \(path): \(reason)."
        case .different(let path, let differences):
            "\(differences.count == 1 ? "The plan of a query is" : "The plans of \(differences.count) queries are") not "
                + "as in \(path):\n" + differences.map(\.description).joined(separator: "\n")
                + "\nIf that is meant, run the test with ASHLAR_UPDATE_PLANS=1, and commit the file."
        }
    }
}
