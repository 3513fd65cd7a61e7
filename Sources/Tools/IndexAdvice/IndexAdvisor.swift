import DataModel
public import RelationalSchema

/// Tests the queries of a model with SQLite's planner, and finds the fewest indexes that avoid scans and sorts.
public struct IndexAdvisor {
    /// With fewer rows, reading all of a table costs less than keeping an index.
    static let smallTable = 500

    let schema: Schema
    let statistics: any TableStatistics
    /// The number of rows that programs inserted, changed or deleted, by table.
    let writes: [String: Int]

    /// Makes an advisor that guesses how many rows there are.
    public init(_ schema: Schema) { self.init(schema, statistics: AssumedStatistics(schema), writes: [:]) }

    init(_ schema: Schema, statistics: any TableStatistics, writes: [String: Int]) {
        self.schema = schema
        self.statistics = statistics
        self.writes = writes
    }

    /// Makes an advisor that uses the number of rows of a sample, and the statements of a recording, if they are given.
    public init(_ schema: Schema, sample: StoreSample?, recording: StatementRecording?) {
        self.init(
            schema, statistics: sample.map { SampledStatistics($0, schema) } ?? AssumedStatistics(schema),
            writes: recording?.writes ?? [:])
    }

    /// A query with the results of its analysis.
    struct Case {
        var query: AdvisedQuery
        var scans: [TableScan]
        var candidates: [ProposedIndex]
        var before: TrialPlanner.Plans
        /// The least weight that any indexes achieve.
        var goal: Int
        /// Indexes that achieve it together, if none does alone.
        var bundle: [ProposedIndex] = []

        var canImprove: Bool { goal < before.weight }
    }

    /// The advice on some queries. It is empty when SQLite cannot make the schema's tables.
    public func advice(on queries: [AdvisedQuery]) -> IndexAdvice {
        (try? attempt(queries)) ?? IndexAdvice()
    }

    private func attempt(_ queries: [AdvisedQuery]) throws(PlannerFailure) -> IndexAdvice {
        var advice = IndexAdvice()
        let plans = explain(queries, try planner(), &advice)
        let before = FollowedAdvice(schema: schema, plans: plans.map(\.plans))
        var followed = before
        var cases: [Case] = []
        while true {
            let advisor = IndexAdvisor(followed.schema, statistics: statistics, writes: writes)
            let found = try advisor.search(zip(plans, followed.plans).map { (query: $0.query, plans: $1) })
            cases = found.cases
            // Each round makes the plans better, so that there is a last one.
            guard let next = try following(followed, found.indexes, plans.map(\.query)) else { break }
            followed = try withoutUseless(next, before, plans.map(\.query))
        }
        fill(&advice, cases, before, followed)
        return advice
    }

    /// A planner of the unchanged schema.
    func planner() throws(PlannerFailure) -> TrialPlanner {
        let planner = try TrialPlanner(schema, statistics)
        if !schema.rtrees.isEmpty { planner.probe = try ScanProbe(schema) }
        return planner
    }

    /// The indexes that make queries better, as far as trials show, and the results of all analyses.
    private func search(
        _ plans: [(query: AdvisedQuery, plans: TrialPlanner.Plans)]
    ) throws(PlannerFailure) -> (cases: [Case], indexes: [ProposedIndex]) {
        let planner = try self.planner()
        // Most queries need no index, and a model may have hundreds of tables.
        let isNeeded = plans.contains { $0.plans.weight > 0 }
        if isNeeded, planner.probe == nil { planner.probe = try ScanProbe(schema) }
        let probe = planner.probe
        let finder = CandidateFinder(schema, statistics)
        var cases: [Case] = []
        for _ in 0..<Self.maximumRounds {
            cases = []
            try planner.attempt([])
            for (query, _) in plans {
                let before = try planner.plans(of: query.sql)
                cases.append(try tried(query, before, planner, probe, finder))
            }
            let additions = try choose(cases, planner)
            if additions.isEmpty { break }
            // With these, others may help that would not have helped before.
            planner.chosen += additions
        }
        return (cases, try pruned(planner, plans))
    }

    /// More rounds than any queries are known to need.
    private static let maximumRounds = 6

    private func tried(
        _ query: AdvisedQuery, _ before: TrialPlanner.Plans, _ planner: TrialPlanner, _ probe: ScanProbe?,
        _ finder: CandidateFinder
    ) throws(PlannerFailure) -> Case {
        guard before.weight > 0, let probe else {
            return Case(query: query, scans: [], candidates: [], before: before, goal: before.weight)
        }
        let scans = probe.scans(of: query.sql)
        let candidates = finder.candidates(for: scans.filter { !isSmall($0.tableName) })
            .filter { isSelective($0, scans) && !planner.chosen.contains($0) }
        let result = try tryAll(candidates, query, scans, before, planner)
        try planner.attempt([])
        return result
    }

    /// Returns whether an index leads to only a part of the rows, or gives them an order.
    ///
    /// SQLite would use any other index too, and be slower than by reading the table from its beginning to its end.
    private func isSelective(_ candidate: ProposedIndex, _ scans: [TableScan]) -> Bool {
        let columns = schema.tables.first { $0.name == candidate.tableName }?.columns ?? []
        let ordered = scans.filter { $0.tableName == candidate.tableName }.flatMap(\.order).map {
            columns[$0.column].name
        }
        if candidate.elements.contains(where: { ordered.contains($0.columnName) }) { return true }
        let rows = rowsFound(by: candidate, scans)
        return rows <= statistics.rowCount(of: candidate.tableName) / 3
    }

    private func isSmall(_ table: String) -> Bool {
        statistics.areMeasured && statistics.rowCount(of: table) < Self.smallTable
    }

    private func explain(
        _ queries: [AdvisedQuery], _ planner: TrialPlanner, _ advice: inout IndexAdvice
    ) -> [(query: AdvisedQuery, plans: TrialPlanner.Plans)] {
        var result: [(AdvisedQuery, TrialPlanner.Plans)] = []
        for query in queries {
            do throws(PlannerFailure) {
                result.append((query, try planner.plans(of: query.sql)))
            } catch {
                advice.skipped.append(IndexAdvice.Skipped(query: query, reason: error.message))
            }
        }
        return result
    }

    // MARK: Trials

    /// Tries all candidates at once and each alone, and keeps those that help.
    private func tryAll(
        _ candidates: [ProposedIndex], _ query: AdvisedQuery, _ scans: [TableScan], _ before: TrialPlanner.Plans,
        _ planner: TrialPlanner
    ) throws(PlannerFailure) -> Case {
        var result = Case(query: query, scans: scans, candidates: [], before: before, goal: before.weight)
        if candidates.isEmpty { return result }
        var weights: [(ProposedIndex, Int)] = []
        for candidate in candidates {
            try planner.attempt([candidate])
            weights.append((candidate, try planner.plans(of: query.sql).weight))
        }
        let best = weights.map(\.1).min() ?? before.weight
        try planner.attempt(candidates)
        let bundle = planner.used(by: try planner.plans(of: query.sql)).filter { !planner.chosen.contains($0) }
        try planner.attempt(bundle)
        let together = try planner.plans(of: query.sql).weight
        result.goal = min(best, together, before.weight)
        result.candidates = weights.filter { $0.1 == result.goal && $0.1 < before.weight }.map(\.0)
        if result.candidates.isEmpty, together < before.weight {
            result.bundle = try reduced(bundle, query, together, planner)
        }
        return result
    }

    /// The indexes without those that the plan is as good without.
    private func reduced(
        _ indexes: [ProposedIndex], _ query: AdvisedQuery, _ goal: Int, _ planner: TrialPlanner
    ) throws(PlannerFailure) -> [ProposedIndex] {
        var result = indexes
        for index in indexes where result.count > 1 {
            let fewer = result.filter { $0 != index }
            try planner.attempt(fewer)
            if try planner.plans(of: query.sql).weight <= goal { result = fewer }
        }
        return result
    }
}
