import RelationalSchema

/// Gets SQLite's plans with indexes that are tried.
///
/// There are two planners: one with the numbers of rows, and one without statistics, as in a store that was never
/// analysed. An index has to be useful to both.
final class TrialPlanner {
    private let planners: [PlannerDatabase]
    private let schema: Schema
    private let statistics: any TableStatistics
    private(set) var tried: [ProposedIndex] = []
    /// Indexes that are part of every trial, because they were chosen before.
    var chosen: [ProposedIndex] = []
    /// The probe that reports how a statement narrows its rows. Without it, statements are treated as if there were no
    /// R-trees.
    var probe: ScanProbe?
    private var searches: [String: StatementSearch?] = [:]

    init(_ schema: Schema, _ statistics: any TableStatistics) throws(PlannerFailure) {
        self.schema = schema
        self.statistics = statistics
        planners = [try PlannerDatabase(), try PlannerDatabase()]
        for planner in planners { try planner.create(schema) }
        try planners[0].load(statistics, schema, schema.indexes)
    }

    /// The plans of the planners, first that of the planner with the numbers of rows.
    struct Plans {
        var plans: [QueryPlan]
        /// The weight of all their problems.
        var weight: Int { plans.reduce(0) { $0 + $1.weight } }
        var indexNames: Set<String> { plans.reduce(into: []) { $0.formUnion($1.indexNames) } }
    }

    /// The plans of a statement with the indexes that are tried now. If an R-tree can serve it, the statement has the
    /// form in which the runtime writes it.
    func plans(of sql: String) throws(PlannerFailure) -> Plans {
        let plans = try explain(sql)
        var rtrees = schema.rtrees
        for index in tried { if let rtree = index.rtree(named: Self.name(of: index)) { rtrees.append(rtree) } }
        if rtrees.isEmpty || plans.weight == 0 && !tried.contains(where: { $0.kind == .rtree }) { return plans }
        guard let search = search(of: sql) else { return plans }
        var best = plans
        for rtree in rtrees {
            guard let text = search.statement(using: rtree, schema) else { continue }
            let found = try explain(text)
            if found.weight <= best.weight { best = found }
        }
        return best
    }

    private func search(of sql: String) -> StatementSearch? {
        if let known = searches[sql] { return known }
        let search = probe.flatMap { StatementSearch(sql, $0.scans(of: sql)) }
        if probe != nil { searches[sql] = .some(search) }
        return search
    }

    private func explain(_ sql: String) throws(PlannerFailure) -> Plans {
        var plans: [QueryPlan] = []
        for planner in planners { plans.append(try planner.plan(of: sql)) }
        return Plans(plans: plans)
    }

    /// Tries some indexes beside the chosen ones, in place of those that were tried before.
    func attempt(_ additions: [ProposedIndex]) throws(PlannerFailure) {
        let indexes = chosen + additions.filter { !chosen.contains($0) }
        for planner in planners {
            for index in tried where !indexes.contains(index) {
                let kind = index.kind == .rtree ? "TABLE" : "INDEX"
                try planner.run("DROP \(kind) \(SQLText.identifier(Self.name(of: index)))")
            }
            for index in indexes where !tried.contains(index) {
                let name = Self.name(of: index)
                let definition = index.tableIndex(named: name)?.definition ?? index.rtree(named: name)?.definition
                if let definition { try planner.run(definition) }
            }
        }
        tried = indexes
        let all = schema.indexes + indexes.compactMap { $0.tableIndex(named: Self.name(of: $0)) }
        try planners[0].load(statistics, schema, all)
    }

    /// Those of the indexes that are tried which a plan uses.
    func used(by plans: Plans) -> [ProposedIndex] {
        let names = plans.indexNames
        return tried.filter { names.contains(Self.name(of: $0)) }
    }

    /// The name of an index in a trial, without spaces, so that it can be found in a plan.
    static func name(of index: ProposedIndex) -> String {
        let elements = index.elements.map { $0.columnName + ($0.isDescending ? "-" : "+") }.joined()
        return
            "trial$\(index.tableName)$\(index.kind == .rtree ? "rtree$" : "")\(elements)\(index.condition.map { "$" + String($0.sql.filter { $0 != " " }) } ?? "")"
    }
}
