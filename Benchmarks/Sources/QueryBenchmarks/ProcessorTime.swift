import CLoops
import Foundation

/// The time that this thread had the processor, which other programs of the machine change less than the clock's.
enum ProcessorTime {
    static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        let start = now()
        try body()
        return now() - start
    }

    /// The time of one run, as the mean of as many as take some milliseconds.
    static func milliseconds(runs: Int, _ body: () throws -> Void) rethrows -> Double {
        try milliseconds { for _ in 0..<runs { try body() } } / Double(runs)
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}

/// The code that a profiler measures.
enum Measured {
    static func run(_ body: () throws -> Void) throws {
        var outcome = Result<Void, any Error>.success(())
        withoutActuallyEscaping(body) { body in
            var work = { outcome = Result { try body() } }
            withUnsafeMutablePointer(to: &work) { work in
                CLoopsMeasured({ $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, work)
            }
        }
        try outcome.get()
    }
}

/// Contestants that are measured in turn, again and again; the fastest round of each counts.
struct Contest {
    private var contestants: [(name: String, body: () throws -> Int)] = []
    private(set) var results: [(name: String, milliseconds: Double, rows: Int)] = []

    mutating func add(_ name: String, _ body: @escaping () throws -> Int) { contestants.append((name, body)) }

    mutating func run(rounds: Int) throws {
        results = []
        var runs: [Int] = []
        for contestant in contestants {
            var rows = 0
            // The first run prepares statements and fills caches.
            let first = try ProcessorTime.milliseconds { rows = try contestant.body() }
            let once = try first > 100 ? first : ProcessorTime.milliseconds { _ = try contestant.body() }
            runs.append(max(1, min(500, Int(4 / max(once, 0.001)))))
            results.append((contestant.name, once, rows))
        }
        for _ in 0..<rounds {
            for (index, contestant) in contestants.enumerated().shuffled() {
                // A contestant that is far behind is not measured again.
                let least = results.map(\.milliseconds).min() ?? 0
                if results[index].milliseconds > 30 * least + 1 { continue }
                // This run puts the contestant's data into the processor's caches. Without it, few runs would measure
                // the caches of the contestant before.
                _ = try contestant.body()
                let time = try ProcessorTime.milliseconds(runs: runs[index]) { _ = try contestant.body() }
                results[index].milliseconds = min(results[index].milliseconds, time)
            }
        }
    }
}

func formatted(_ milliseconds: Double) -> String { String(format: milliseconds < 1 ? "%.4f" : "%.2f", milliseconds) }
