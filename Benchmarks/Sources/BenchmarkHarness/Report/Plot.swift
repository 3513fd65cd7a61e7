import Foundation

/// A picture of a report for the README: a line for each workload, and on it a dot for each contestant, at its time in
/// multiples of the C loop's on a logarithmic scale.
struct Plot {
    private static let colors: [Contestant: String] = [
        .cLoop: "#57606a", .swiftLoop: "#8c959f", .ashlar: "#cf222e", .grdbStatement: "#54aeff",
        .grdbRecord: "#0969da", .grdbCodable: "#0a3069",
    ]
    private static let left = 190.0
    private static let width = 620.0
    private static let lineHeight = 26.0
    private static let top = 70.0

    /// The times of each workload, as multiples of the first of its contestants.
    private let lines: [(name: String, ratios: [Contestant: Double])]
    private let rows: Int
    private let range: ClosedRange<Double>

    init(_ report: Report) {
        rows = report.rows
        lines = report.workloads.compactMap { workload in
            guard let reference = Contestant.allCases.first(where: { workload.times[$0] != nil }) else { return nil }
            var ratios: [Contestant: Double] = [:]
            for contestant in workload.times.keys { ratios[contestant] = workload.ratio(contestant, to: reference) }
            return (workload.name, ratios)
        }
        let all = lines.flatMap(\.ratios.values)
        range = min(0.5, all.min() ?? 0.5)...max(2, all.max() ?? 2)
    }

    var svg: String {
        let bottom = Self.top + Double(lines.count) * Self.lineHeight
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.left + Self.width + 30)) \(Int(bottom + 50))" \
            font-family="system-ui, sans-serif" font-size="13" fill="#24292f">
            <rect width="100%" height="100%" fill="#ffffff"/>
            \(legend)
            """
        for tick in ticks {
            let x = number(position(tick))
            text += """
                <line x1="\(x)" y1="\(number(Self.top - 12))" x2="\(x)" y2="\(number(bottom))" \
                stroke="\(tick == 1 ? "#57606a" : "#d0d7de")"/>
                <text x="\(x)" y="\(number(bottom + 18))" text-anchor="middle">\(label(tick))</text>

                """
        }
        for (index, line) in lines.enumerated() {
            let y = Self.top + (Double(index) + 0.4) * Self.lineHeight
            text += label(line.name, Self.left - 14, y + 4, #"text-anchor="end""#)
            // Ashlar last, so that no other covers it.
            for contestant in Contestant.allCases.filter({ $0 != .ashlar }) + [.ashlar] {
                guard let ratio = line.ratios[contestant] else { continue }
                text += circle(contestant, position(ratio), y)
            }
        }
        let caption = "time, in multiples of a loop over SQLite's C API, of \(rows.formatted()) rows"
        return text + label(caption, Self.left, bottom + 40, ##"fill="#57606a""##) + "</svg>\n"
    }

    private var legend: String {
        var x = Self.left
        var text = ""
        for contestant in Contestant.allCases {
            text += circle(contestant, x, 24)
            text += label(contestant.rawValue, x + 10, 28)
            x += 40 + Double(contestant.rawValue.count) * 7
        }
        return text
    }

    private var ticks: [Double] {
        [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50].filter { range.contains($0) }
    }

    private func circle(_ contestant: Contestant, _ x: Double, _ y: Double) -> String {
        let radius = contestant == .ashlar ? 6 : 5
        let color = Self.colors[contestant] ?? "#24292f"
        return "<circle cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"\(radius)\" fill=\"\(color)\"/>\n"
    }

    private func label(_ text: String, _ x: Double, _ y: Double, _ attributes: String = "") -> String {
        "<text x=\"\(number(x))\" y=\"\(number(y))\" \(attributes)>\(text)</text>\n"
    }

    private func position(_ ratio: Double) -> Double {
        let (low, high) = (log(range.lowerBound), log(range.upperBound))
        return Self.left + (log(ratio) - low) / (high - low) * Self.width
    }

    private func label(_ tick: Double) -> String { tick < 1 ? "\(tick)" : "\(Int(tick))" }
    private func number(_ value: Double) -> String { String(format: "%.1f", value) }
}
