import Foundation

/// The results of a load test.
public struct LoadReport: Sendable {
    /// The times of the requests of one kind.
    public struct Latencies: Sendable {
        public var name: String
        /// In seconds, the shortest first.
        public var sorted: [Double]

        /// The time that no more than a part of the requests exceeded.
        public func percentile(_ part: Double) -> Double {
            guard !sorted.isEmpty else { return 0 }
            return sorted[min(Int(Double(sorted.count) * part), sorted.count - 1)]
        }
    }

    public var clients: Int
    public var seconds: Double
    public var latencies: [Latencies]
    /// Requests that failed, and reads that were torn.
    public var problems: [String]

    public var requests: Int { latencies.map(\.sorted.count).reduce(0, +) }

    /// A table, with a line for each kind of request.
    public var text: String {
        var lines = [
            "\(clients) clients, \(requests) requests in \(String(format: "%.1f", seconds)) s: "
                + "\(Int(Double(requests) / seconds)) requests per second",
            "", "request                  number   p50 ms   p99 ms",
        ]
        for kind in latencies + [Latencies(name: "all", sorted: latencies.flatMap(\.sorted).sorted())] {
            let name = kind.name.padding(toLength: 24, withPad: " ", startingAt: 0)
            let times = [0.5, 0.99].map { String(format: "%8.1f", kind.percentile($0) * 1000) }
            lines.append("\(name) \(String(format: "%6d", kind.sorted.count)) \(times.joined(separator: " "))")
        }
        lines.append("")
        lines.append(problems.isEmpty ? "No request failed, and no read was torn." : problems.joined(separator: "\n"))
        return lines.joined(separator: "\n")
    }
}
