/// SQLite's plan for a statement: the output of `EXPLAIN QUERY PLAN`, as a tree.
public struct QueryPlan: Sendable, Hashable {
    /// One step, in SQLite's words.
    public struct Step: Sendable, Hashable {
        /// The number by which steps within this one name it.
        public var identifier: Int
        /// The number of the step that this one is in; 0 for one of the statement itself.
        public var parent: Int
        /// The description of the step.
        public var detail: String

        package init(identifier: Int, parent: Int, detail: String) {
            self.identifier = identifier
            self.parent = parent
            self.detail = detail
        }
    }

    /// The steps in the order of the plan.
    public var steps: [Step]

    package init(steps: [Step]) { self.steps = steps }

    /// The steps, those within another one indented by two spaces.
    public var lines: [String] {
        var depths: [Int: Int] = [:]
        return steps.map { step in
            let depth = depths[step.parent].map { $0 + 1 } ?? 0
            depths[step.identifier] = depth
            return String(repeating: "  ", count: depth) + step.detail
        }
    }
}

extension QueryPlan {
    /// A part of a plan that an index could avoid.
    enum Problem: Hashable {
        /// All rows of a table are read, by the name that the statement gives it.
        case scan(String)
        /// All entries of an index are read, which contains all requested columns.
        case coveringScan(String)
        /// The rows are sorted: all of them, or those with equal values in the columns that an index has sorted.
        case sort(isPartial: Bool)
        /// SQLite makes an index for the one statement, and throws it away.
        case automaticIndex(String)
    }

    /// The problems, each with how much it weighs; those within loops weigh more.
    var problems: [(problem: Problem, weight: Int)] {
        var result: [(Problem, Int)] = []
        var loops: [Int: Int] = [:]
        let repeated = repeatedSteps
        for step in steps {
            guard let problem = Self.problem(step.detail) else {
                if Self.isLoop(step.detail) { loops[step.parent, default: 0] += 1 }
                continue
            }
            var weight = problem.weight
            if case .sort = problem {
            } else {
                if loops[step.parent, default: 0] > 0 { weight *= 10 }
                loops[step.parent, default: 0] += 1
            }
            if repeated.contains(step.parent) { weight *= 10 }
            result.append((problem, weight))
        }
        return result
    }

    /// The weight of all problems; 0 for a plan that finds its rows and has them in order.
    var weight: Int { problems.reduce(0) { $0 + $1.weight } }

    /// The indexes that the plan uses.
    package var indexNames: Set<String> { Set(steps.compactMap { Self.indexName($0.detail) }) }

    /// The tables whose rows are all read, by the names that the statement gives them: without an index, or to make
    /// one.
    package var scannedNames: [String] {
        steps.compactMap { step in
            switch Self.problem(step.detail) {
            case .scan(let name): step.detail.contains(" USING ") ? nil : name
            case .automaticIndex(let name): name
            case .coveringScan, .sort, nil: nil
            }
        }
    }

    /// The steps that are repeated for each row of the surrounding query, and all steps within them.
    private var repeatedSteps: Set<Int> {
        var result: Set<Int> = []
        for step in steps where step.detail.hasPrefix("CORRELATED") || result.contains(step.parent) {
            result.insert(step.identifier)
        }
        return result
    }

    private static func isLoop(_ detail: String) -> Bool { detail.hasPrefix("SCAN ") || detail.hasPrefix("SEARCH ") }

    private static func problem(_ detail: String) -> Problem? {
        if detail.hasPrefix("USE TEMP B-TREE FOR ") {
            // `LAST TERM OF`, `LAST 2 TERMS OF`, and `RIGHT PART OF` before SQLite 3.43.
            return .sort(isPartial: detail.contains(" LAST ") || detail.contains(" RIGHT PART "))
        }
        if detail.hasPrefix("SEARCH "), detail.contains(" USING AUTOMATIC ") { return .automaticIndex(name(detail)) }
        guard detail.hasPrefix("SCAN "), !detail.contains(" VIRTUAL TABLE INDEX "), !detail.hasPrefix("SCAN CONSTANT")
        else { return nil }
        let name = name(detail)
        if name.hasPrefix("(") { return nil }
        return detail.contains(" USING COVERING INDEX ") ? .coveringScan(name) : .scan(name)
    }

    /// The table of a step, which may have spaces in its name: the text before the known words.
    private static func name(_ detail: String) -> String {
        var name = detail.drop { $0 != " " }.dropFirst()
        for mark in [" USING ", " VIRTUAL TABLE ", " LEFT-JOIN", " EXISTS"] {
            if let range = name.firstRange(of: mark) { name = name[..<range.lowerBound] }
        }
        return String(name)
    }

    private static func indexName(_ detail: String) -> String? {
        guard detail.hasPrefix("SCAN ") || detail.hasPrefix("SEARCH ") || detail.hasPrefix("INDEX ") else {
            return nil
        }
        // An R-tree has no other name in the statement.
        if detail.contains(" VIRTUAL TABLE INDEX ") { return name(detail) }
        for mark in [" USING COVERING INDEX ", " USING INDEX "] {
            guard let range = detail.firstRange(of: mark) else { continue }
            let rest = detail[range.upperBound...]
            // The terms are in parentheses; a name of Ashlar's has neither spaces nor parentheses.
            return String(rest.prefix { $0 != " " })
        }
        return nil
    }
}

extension QueryPlan.Problem {
    fileprivate var weight: Int {
        switch self {
        case .scan, .coveringScan: 100
        case .automaticIndex: 200
        case .sort(let isPartial): isPartial ? 4 : 10
        }
    }
}
