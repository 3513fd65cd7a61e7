import Foundation

/// What is written to the terminal.
enum Screen {
    static func title(_ text: String) {
        print("\n\(text)\n\(String(repeating: "-", count: text.count))")
    }

    /// A bar that grows in place on a terminal, and is written once where the output is a file.
    static func progress(_ fraction: Double) {
        guard isatty(1) == 1 || fraction >= 1 else { return }
        print(
            "\r[\(bar(fraction).padding(toLength: 40, withPad: " ", startingAt: 0))] \(Int(fraction * 100)) %",
            terminator: "")
        if fraction >= 1 { print() }
        fflush(nil)
    }

    static func bar(_ fraction: Double) -> String {
        String(repeating: "#", count: Int((fraction * 40).rounded()))
    }

    /// Runs something and says how long it took.
    static func time<Result>(_ body: () throws -> Result) rethrows -> (result: Result, text: String) {
        let clock = ContinuousClock()
        let start = clock.now
        let result = try body()
        let seconds = start.duration(to: clock.now) / .seconds(1)
        let text = seconds < 1 ? String(format: "%.1f ms", seconds * 1000) : String(format: "%.2f s", seconds)
        return (result, text)
    }

    static func startOfDay(_ date: Date) -> Date { Calendar.current.startOfDay(for: date) }

    static func day(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }

    static func date(_ date: Date) -> String {
        date.formatted(.iso8601.year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false))
    }
}
