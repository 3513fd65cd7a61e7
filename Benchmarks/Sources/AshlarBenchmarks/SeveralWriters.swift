import Ashlar
import BenchmarkHarness
import CLoops
import Foundation
import GRDB
import Synchronization

/// Four threads that write at the same time, each with a context or a connection of its own, until they have saved
/// often enough together. It measures the saves of a second, the shares of the writers with the fewest and the most
/// saves, and the longest time of a save. Each save changes ten authors, which are the writer's own.
///
///     AshlarBenchmarks writers [SAVES [ROUNDS]]
struct SeveralWriters {
    private static let writers = 4
    private static let changes = 10

    static func run(_ arguments: [String]) throws {
        let saves = arguments.first.flatMap { Int($0) } ?? 2000
        let rounds = arguments.dropFirst().first.flatMap { Int($0) } ?? 5
        let stores = try Stores(rows: 1000, withRTree: false)
        print(
            "| \(writers) writers, \(saves) saves | saves a second | least share | greatest share | longest save ms |\n"
                + "| --- | --- | --- | --- | --- |")
        for contestant in [Contestant.swiftLoop, .ashlar, .grdbRecord] {
            var all: [Outcome] = []
            for _ in 0..<rounds { all.append(try outcome(contestant, saves, stores)) }
            let median = all.sorted { $0.rate < $1.rate }[all.count / 2]
            let figures = [median.rate, median.least * 100, median.greatest * 100, median.longest]
            let name = contestant == .swiftLoop ? "BEGIN IMMEDIATE" : contestant.rawValue
            print("| \(name) | " + String(format: "%.0f | %.0f %% | %.0f %% | %.0f |", arguments: figures))
        }
    }

    private struct Outcome {
        var rate: Double
        var least: Double
        var greatest: Double
        var longest: Double
    }

    /// The counts that the writing threads share.
    private final class Tally: Sendable {
        let begun = Atomic(0)
        let shares = Mutex<(counts: [Int], longest: Duration)>(([], .zero))
    }

    private static func outcome(_ contestant: Contestant, _ saves: Int, _ stores: Stores) throws -> Outcome {
        let url = try stores.copy(of: stores.full)
        let container = contestant == .ashlar ? try stores.container(at: url) : nil
        let pool = contestant == .grdbRecord ? try DatabasePool.open(url) : nil
        let (threads, tally) = (SimultaneousThreads(), Tally())
        for writer in 0..<writers {
            threads.add {
                let save = try makeSave(writer, url, container, pool)
                return {
                    var count = 0
                    var longest = Duration.zero
                    while tally.begun.add(1, ordering: .relaxed).newValue <= saves {
                        let start = ContinuousClock.now
                        try save(count)
                        longest = max(longest, start.duration(to: .now))
                        count += 1
                    }
                    tally.shares.withLock {
                        $0.counts.append(count)
                        $0.longest = max($0.longest, longest)
                    }
                    return nil
                }
            }
        }
        threads.prepare()
        let start = ContinuousClock.now
        try threads.run()
        let seconds = start.duration(to: .now) / .seconds(1)
        let (counts, longest) = tally.shares.withLock { $0 }
        return Outcome(
            rate: Double(saves) / seconds, least: Double(counts.min() ?? 0) / Double(saves),
            greatest: Double(counts.max() ?? 0) / Double(saves), longest: longest / .milliseconds(1))
    }

    private static func makeSave(
        _ writer: Int, _ url: URL, _ container: ModelContainer?, _ pool: DatabasePool?
    ) throws -> (Int) throws -> Void {
        let first = writer * changes
        func name(_ index: Int, _ save: Int) -> String { "Author \(index) of writer \(writer), save \(save)" }
        if let container {
            let context = ModelContext(container)
            let authors = Array(try context.fetch(Author.all.limit(writers * changes))[first..<first + changes])
            return { save in
                for (index, author) in authors.enumerated() { author.name = name(index, save) }
                try context.save()
            }
        }
        let sql = #"UPDATE "Author" SET "name" = ?1, "version$" = "version$" + 1 WHERE "id$" = ?2"#
        if let pool {
            return { save in
                try pool.write { database in
                    let statement = try database.cachedStatement(sql: sql)
                    for index in 0..<changes {
                        try statement.execute(arguments: [name(index, save), first + index + 1])
                    }
                }
            }
        }
        let connection = try HandWrittenConnection(url)
        let statement = try connection.prepare(sql)
        return { save in
            try connection.execute("BEGIN IMMEDIATE")
            for index in 0..<changes {
                sqlite3_bind_text(
                    statement.handle, 1, name(index, save), -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
                sqlite3_bind_int64(statement.handle, 2, Int64(first + index + 1))
                let code = sqlite3_step(statement.handle)
                sqlite3_reset(statement.handle)
                try connection.check(code)
            }
            try connection.execute("COMMIT")
        }
    }
}
