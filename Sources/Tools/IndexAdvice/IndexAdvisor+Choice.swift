import DataModel
import RelationalSchema

extension IndexAdvisor {
    /// The fewest indexes with which each query is as good as it can be, as far as a greedy choice finds them.
    func choose(_ cases: [Case], _ planner: TrialPlanner) throws(PlannerFailure) -> [ProposedIndex] {
        var pool: [ProposedIndex] = []
        for candidate in cases.flatMap(\.candidates) where !pool.contains(candidate) { pool.append(candidate) }
        var served: [ProposedIndex: Set<Int>] = [:]
        for candidate in pool { served[candidate] = try queries(servedBy: candidate, cases, planner) }
        var open = Set(cases.indices.filter { !cases[$0].candidates.isEmpty })
        var chosen: [ProposedIndex] = []
        while !open.isEmpty {
            let ranked = pool.compactMap { candidate -> (ProposedIndex, Rank)? in
                let queries = (served[candidate] ?? []).intersection(open)
                return queries.isEmpty ? nil : (candidate, rank(candidate, queries, cases))
            }
            guard let best = ranked.min(by: { $0.1 < $1.1 })?.0 else { break }
            chosen.append(best)
            open.subtract(served[best] ?? [])
        }
        for index in cases.flatMap(\.bundle) where !chosen.contains(index) { chosen.append(index) }
        return chosen.filter { isWorthwhile($0, cases, served[$0] ?? []) }
    }

    private func queries(
        servedBy candidate: ProposedIndex, _ cases: [Case], _ planner: TrialPlanner
    ) throws(PlannerFailure) -> Set<Int> {
        var result: Set<Int> = []
        for (number, one) in cases.enumerated() where one.canImprove && !one.candidates.isEmpty {
            if one.candidates.contains(candidate) {
                result.insert(number)
                continue
            }
            guard one.scans.contains(where: { $0.tableName == candidate.tableName }) else { continue }
            if planner.tried != planner.chosen + [candidate] { try planner.attempt([candidate]) }
            if try planner.plans(of: one.query.sql).weight <= one.goal { result.insert(number) }
        }
        return result
    }

    /// The order of the candidates; the least is the best.
    private struct Rank: Comparable {
        var importance: Double
        /// The rows that it leads to, as a power of two.
        var magnitude: Int
        var length: Int
        var key: String

        static func < (left: Rank, right: Rank) -> Bool {
            (-left.importance, left.magnitude, left.length, left.key)
                < (-right.importance, right.magnitude, right.length, right.key)
        }
    }

    private func rank(_ candidate: ProposedIndex, _ queries: Set<Int>, _ cases: [Case]) -> Rank {
        let importance = queries.sorted().reduce(0) { $0 + cases[$1].query.importance }
        let rows = queries.map { rowsFound(by: candidate, cases[$0].scans) }.max() ?? 0
        // Below some dozen rows a longer index is not worth its room.
        let magnitude = rows <= 20 ? 0 : Int.bitWidth - rows.leadingZeroBitCount
        return Rank(
            importance: importance, magnitude: magnitude, length: candidate.elements.count, key: candidate.sortKey)
    }

    /// The estimated number of rows that are read by way of an index.
    func rowsFound(by candidate: ProposedIndex, _ scans: [TableScan]) -> Int {
        let table = candidate.tableName
        let columns = schema.tables.first { $0.name == table }?.columns ?? []
        return scans.filter { $0.tableName == table }.map { scan in
            func comparisons(_ name: String) -> [TableScan.Comparison] {
                scan.terms.filter { columns[$0.column].name == name }.map(\.comparison)
            }
            let names = candidate.elements.map(\.columnName)
            if candidate.kind == .rtree {
                return names.reduce(statistics.rowCount(of: table)) { $0 / Self.narrowing(comparisons($1)) }
            }
            let equal = names.prefix { comparisons($0).contains { $0 == .equal || $0 == .isNull } }
            var rows = statistics.rowsPerGroup(of: table, Array(equal))
            if let next = names.dropFirst(equal.count).first {
                rows /= Self.narrowing(comparisons(next))
            }
            return rows
        }.min() ?? statistics.rowCount(of: table)
    }

    /// By how much the bounds of a column divide the rows.
    private static func narrowing(_ comparisons: [TableScan.Comparison]) -> Int {
        [1, 4, 64][Set(comparisons).intersection([.lower, .upper]).count]
    }

    /// An index entry takes some microseconds for each written row, and one of an R-tree several times that.
    private static func secondsPerWrite(_ kind: FetchIndex.Kind) -> Double { kind == .rtree ? 12e-6 : 3e-6 }

    /// Returns whether an index saves more time than it costs, if programs were recorded.
    private func isWorthwhile(_ index: ProposedIndex, _ cases: [Case], _ queries: Set<Int>) -> Bool {
        let numbers = queries.isEmpty ? Set(cases.indices.filter { cases[$0].bundle.contains(index) }) : queries
        let usages = numbers.map { cases[$0].query.usage }
        // A query of the model has no recorded time, and always counts.
        if usages.contains(nil) { return true }
        let spared = usages.reduce(0) { $0 + ($1?.seconds ?? 0) }
        return spared >= Double(writes[index.tableName] ?? 0) * Self.secondsPerWrite(index.kind)
    }

    /// The chosen indexes without those that make no query better, when the others are there.
    func pruned(
        _ planner: TrialPlanner, _ queries: [(query: AdvisedQuery, plans: TrialPlanner.Plans)]
    ) throws(PlannerFailure) -> [ProposedIndex] {
        var result = planner.chosen
        let affected = queries.filter { $0.plans.weight > 0 }.map(\.query)
        planner.chosen = []
        try planner.attempt(result)
        var weights = try self.weights(affected, planner)
        for index in result.reversed() {
            let fewer = result.filter { $0 != index }
            try planner.attempt(fewer)
            let without = try self.weights(affected, planner)
            if zip(without, weights).allSatisfy({ $0 <= $1 }) {
                result = fewer
                weights = without
            }
        }
        result.sort { ($0.entityName, $0.sortKey) < ($1.entityName, $1.sortKey) }
        try planner.attempt(result)
        return result
    }

    private func weights(_ queries: [AdvisedQuery], _ planner: TrialPlanner) throws(PlannerFailure) -> [Int] {
        var result: [Int] = []
        for query in queries { result.append(try planner.plans(of: query.sql).weight) }
        return result
    }
}
