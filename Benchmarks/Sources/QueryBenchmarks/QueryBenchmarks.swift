import CLoops
import Foundation

/// Measures how Ashlar finds rows: the plans that it chooses, the chart of the day counts, the cost of a query beside
/// SQLite's own work, the cost of live results, and reading the history.
@main
struct QueryBenchmarks {
    static let usage = """
        usage: QueryBenchmarks plans|chart|cost|results|history [--rows N]… [--box PERCENT]… [--rounds N]
            [--query N] [--each-plan]
        """

    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        var rows: [Int] = []
        var boxes: [Double] = []
        var rounds = 7
        var query: Int?
        var rest = arguments.dropFirst().makeIterator()
        var showsPlans = false
        while let option = rest.next() {
            if option == "--each-plan" {
                showsPlans = true
                continue
            }
            guard let number = rest.next().flatMap({ Double($0) }), number > 0, number <= 1e9 else {
                throw UsageError()
            }
            switch option {
            case "--rows": rows.append(Int(number))
            case "--box": boxes.append(number / 100)
            case "--rounds": rounds = Int(number)
            case "--query": query = Int(number)
            default: throw UsageError()
            }
        }
        CLoopsSteadyHeap()
        switch arguments.first {
        case "plans":
            for count in rows.isEmpty ? [100_000, 1_000_000] : rows {
                let shares = boxes.isEmpty ? [0.001, 0.01, 0.05, 0.5] : boxes
                let benchmark = try PlanBenchmark(
                    FilledStore(rows: count), shares: shares, rounds: rounds, query: query)
                benchmark.showsPlans = showsPlans
                try benchmark.run()
            }
        case "chart":
            for count in rows.isEmpty ? [50_000, 1_000_000] : rows {
                try ChartBenchmark.run(FilledStore(rows: count), rounds: rounds)
            }
        case "cost": try CostBenchmark(rounds: rounds, query: query).run()
        case "results": try ResultsBenchmark(rounds: rounds).run(rows: rows.isEmpty ? [1000, 100_000] : rows)
        case "history":
            try HistoryBenchmark(rounds: rounds).run(changes: rows.isEmpty ? [1000, 100_000, 1_000_000] : rows)
        default: throw UsageError()
        }
    }
}

/// The command line is not understood.
struct UsageError: Error, CustomStringConvertible {
    var description: String { "this is not understood\n\(QueryBenchmarks.usage)" }
}
