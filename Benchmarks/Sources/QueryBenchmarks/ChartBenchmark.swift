import Ashlar
import Foundation

/// The talk's chart: how many posts there are of each day.
enum ChartBenchmark {
    static func run(_ store: FilledStore, rounds: Int) throws {
        let context = ModelContext(store.container)
        let reference = Date(timeIntervalSinceReferenceDate: 0)
        var contest = Contest()
        contest.add("posts grouped by day") {
            let days = Post.group { ($0.timestamp.timeIntervalSince(reference) / 86400).rounded(.down) }
                .select { (($0.timestamp.timeIntervalSince(reference) / 86400).rounded(.down), .count) }
            return try context.fetch(days).count
        }
        contest.add("times fetched and counted") {
            var counts: [Int: Int] = [:]
            for time in try context.fetch(Post.all.select { $0.timestamp }) {
                counts[Int((time.timeIntervalSinceReferenceDate / 86400).rounded(.down)), default: 0] += 1
            }
            return counts.count
        }
        contest.add("the count that is kept") {
            try context.fetchValues(DayCount.order { $0.day.ascending }).count
        }
        try contest.run(rounds: rounds)
        guard Set(contest.results.map(\.rows)).count == 1 else {
            throw ConnectionError(description: "the ways give \(contest.results.map { "\($0.name) \($0.rows)" })")
        }
        print("\n| posts | way | ms | times the count that is kept |\n| --- | --- | --- | --- |")
        let least = contest.results.last?.milliseconds ?? 1
        for result in contest.results {
            print(
                "| \(store.rows) | \(result.name) | \(formatted(result.milliseconds)) "
                    + "| \(String(format: "%.0f", result.milliseconds / least)) |")
        }
    }
}
