import Ashlar
import BenchmarkHarness
import Foundation

/// The time that several threads save when all rows are read. The same reads are done by a context at a pinned
/// generation, with one thread, and by one without. The processor time shows the cost of the division, even if other
/// programs use the cores.
///
///     AshlarBenchmarks threads [ROWS [ROUNDS]]
struct SeveralThreads {
    static func run(_ arguments: [String]) throws {
        var given = ["--rows", arguments.first ?? "1000000"]
        if arguments.count > 1 { given += ["--rounds", arguments[1]] } else { given += ["--rounds", "5"] }
        let options = try Options(given, AshlarBenchmarks.table.form)
        let stores = try Stores(rows: options.rows, withRTree: false)
        let container = try stores.container(at: stores.full)
        print(
            "| of \(options.rows) posts | one thread ms | several ms | times faster | processor one ms | several ms |\n"
                + "| --- | --- | --- | --- | --- | --- |")
        try compare("values", container, options.rounds, { try $0.fetchValues(Post.all) }, \.count)
        try compare(
            "values of half", container, options.rounds, { try $0.fetchValues(Post.where { $0.likes % 2 == 0 }) },
            \.count)
        try compare(
            "count of half", container, options.rounds, { try $0.fetchCount(Post.where { $0.likes % 2 == 0 }) }, \.self)
        let totals = Post.all.select {
            (.sum($0.likes), .average($0.likes), .minimum($0.timestamp), .maximum($0.title), .count)
        }
        try compare(
            "sum, mean, least, greatest", container, options.rounds,
            { context in try context.fetch(totals).map { "\($0)" }.joined() }, \.hashValue)
    }

    private static func compare<Result>(
        _ name: String, _ container: ModelContainer, _ rounds: Int, _ body: (ModelContext) throws -> Result,
        _ proof: (Result) -> Int
    ) throws {
        let context = ModelContext(container)
        var one = Times()
        var several = Times()
        for round in 0...rounds {
            let first = try one.measure(proof) { try context.withQueryGeneration { try body(context) } }
            let second = try several.measure(proof) { try body(context) }
            if first != second { throw LoopError(description: "\(name): several threads read something else than one") }
            // The first round fills the caches.
            if round == 0 { (one, several) = (Times(), Times()) }
        }
        let figures = [
            one.median, several.median, one.median / several.median, one.processorMedian, several.processorMedian,
        ]
        print("| \(name) | " + String(format: "%.1f | %.1f | %.2f | %.1f | %.1f |", arguments: figures))
    }

    private struct Times {
        private var elapsed: [Double] = []
        private var processor: [Double] = []

        var median: Double { elapsed.sorted()[elapsed.count / 2] }
        var processorMedian: Double { processor.sorted()[processor.count / 2] }

        /// Measures the time of a closure, and keeps its result alive meanwhile.
        mutating func measure<Result>(_ proof: (Result) -> Int, _ body: () throws -> Result) rethrows -> Int {
            let (start, startOfProcessor) = (ContinuousClock.now, Self.processorMilliseconds)
            let result = try body()
            elapsed.append(start.duration(to: .now) / .milliseconds(1))
            processor.append(Self.processorMilliseconds - startOfProcessor)
            return proof(result)
        }

        /// Of all threads of the process.
        private static var processorMilliseconds: Double {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
        }
    }
}
