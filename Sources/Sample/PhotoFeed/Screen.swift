import Foundation

/// The output on the terminal.
enum Screen {
    static let isTerminal = isatty(1) == 1

    static func title(_ text: String) {
        print("\n\(text)\n\(String(repeating: "-", count: text.count))")
    }

    /// The progress of a task: a bar that grows in place on a terminal, a line for each quarter in a file or a pipe.
    struct Progress {
        private var told = 0

        mutating func tell(_ fraction: Double) {
            let step = Int(fraction * (isTerminal ? 100 : 4))
            guard step > told else { return }
            told = step
            if isTerminal {
                let bar = Screen.bar(fraction).padding(toLength: 40, withPad: " ", startingAt: 0)
                print("\r[\(bar)] \(step) %", terminator: fraction >= 1 ? "\n" : "")
            } else {
                print("\(step * 25) %")
            }
            fflush(nil)
        }
    }

    static func bar(_ fraction: Double) -> String {
        String(repeating: "#", count: Int((fraction * 40).rounded()))
    }

    /// Runs a closure, and returns its time in seconds.
    static func seconds<Result>(_ body: () throws -> Result) rethrows -> (result: Result, seconds: Double) {
        let clock = ContinuousClock()
        let start = clock.now
        let result = try body()
        return (result, start.duration(to: clock.now) / .seconds(1))
    }

    /// Runs a closure, and returns its time as text.
    static func time<Result>(_ body: () throws -> Result) rethrows -> (result: Result, text: String) {
        let (result, seconds) = try seconds(body)
        return (result, text(seconds))
    }

    /// The shortest time of three runs, because the first one includes costs that occur only once.
    static func bestOfThree<Result>(_ body: () throws -> Result) rethrows -> (result: Result, seconds: Double) {
        var best = try seconds(body)
        for _ in 0..<2 {
            let next = try seconds(body)
            if next.seconds < best.seconds { best = next }
        }
        return best
    }

    static func text(_ seconds: Double) -> String {
        switch seconds {
        case 1...: String(format: "%.2f s", seconds)
        case 0.01...: String(format: "%.1f ms", seconds * 1000)
        default: String(format: "%.2f ms", seconds * 1000)
        }
    }

    /// The speed of one time relative to another, in words.
    static func ratio(_ seconds: Double, to other: Double) -> String {
        let ratio = other / max(seconds, 1e-9)
        return (0.95..<1.05).contains(ratio) ? "as fast" : "\(times(ratio)) as fast"
    }

    static func times(_ ratio: Double) -> String {
        ratio >= 9.5 ? "\(Int(ratio.rounded())) times" : String(format: "%.1f times", ratio)
    }

    /// Text at the left or the right of a column.
    static func cell(_ text: String, _ width: Int, isRight: Bool = false) -> String {
        let space = String(repeating: " ", count: max(width - text.count, 0))
        return isRight ? space + text : text + space
    }

    static func startOfDay(_ date: Date) -> Date { Calendar.current.startOfDay(for: date) }

    /// The day with the beginning of its name in English.
    static func day(_ date: Date) -> String {
        let names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        // In the local time zone, like the days of the store.
        let calendar = Calendar.current
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        let number = String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
        return "\(names[calendar.component(.weekday, from: date) - 1]) \(number)"
    }

    static func date(_ date: Date) -> String {
        date.formatted(.iso8601.year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false))
    }
}
