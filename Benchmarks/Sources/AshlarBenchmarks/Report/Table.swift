import Foundation

/// The table that a run prints: a workload a line, a contestant a column.
enum Table {
    private static let nameWidth = 18
    private static let cellWidth = 17

    static func heading(_ options: Options) -> String {
        let columns = ["workload".filled(nameWidth)] + Contestant.allCases.map { $0.rawValue.right(cellWidth) }
        return """
            \(options.rows) rows, median of \(options.rounds) rounds\(options.withRTree ? "" : ", without the R-tree")
            milliseconds, and in brackets multiples of the Swift loop
            \((columns + ["Ashlar to C".right(13)]).joined())
            """
    }

    static func lines(_ result: WorkloadResult) -> String {
        let cells = Contestant.allCases.map { contestant -> String in
            guard let times = result.times[contestant] else { return "-".right(cellWidth) }
            let ratio = result.ratio(contestant, to: .swiftLoop).map { String(format: " (%.2f)", $0) } ?? ""
            return (String(format: "%.1f", times.median) + ratio).right(cellWidth)
        }
        let toC = result.ratio(.ashlar, to: .cLoop).map { String(format: "%.2f", $0) } ?? "-"
        return result.name.filled(nameWidth) + cells.joined() + toC.right(13)
            + "   checksum \(String(result.checksum, radix: 16))"
    }
}

extension String {
    fileprivate func filled(_ width: Int) -> String { padding(toLength: width, withPad: " ", startingAt: 0) }
    fileprivate func right(_ width: Int) -> String { String(repeating: " ", count: max(width - count, 0)) + self }
}
