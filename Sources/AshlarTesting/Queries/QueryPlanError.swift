/// What is wrong with the plans of queries that a test compares.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum QueryPlanError: Error, Sendable, Hashable {
    /// SQLite does not explain a statement. One of a recording in a file may be of another version of the model.
    case notExplained(sql: String, reason: String)
    /// There is no file of plans yet.
    case noFile(path: String)
    /// The file of plans, or the one of recorded statements, cannot be read.
    case unreadable(path: String, reason: String)
    /// The file of plans cannot be written.
    case notWritten(path: String, reason: String)
    /// The plans are others than those of the file.
    case different(path: String, [QueryPlanDifference])
}

/// A query whose plan is another than a file has, or that only one of them has.
public struct QueryPlanDifference: Sendable, Hashable, CustomStringConvertible {
    /// The statement, without its list of columns.
    public let sql: String
    /// The plans of the file; none where it has no such statement.
    public let expected: [[String]]
    /// The plans that were found; none where no such statement ran.
    public let found: [[String]]

    /// The statement, and under it the steps that are gone with `-` and those that came with `+`.
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
            "SQLite does not explain a statement: \(reason). If it is from a file, record anew what the program of this "
                + "version of the model runs.\n\(sql)"
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
