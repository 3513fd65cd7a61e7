import Foundation

/// The table that a run prints: a workload a line, a contestant a column.
struct Table {
    private static let nameWidth = 26
    private static let cellWidth = 17

    let contestants: [Contestant]
    /// The contestant that Ashlar is compared with in the last column.
    let reference: Contestant

    func heading(_ options: Options) -> String {
        """
        \(options.rows) rows, median of \(options.rounds) rounds\(options.withRTree ? "" : ", without the R-tree")
        milliseconds, and in brackets multiples of the Swift loop
        \(columns(Self.cellWidth))\("Ashlar to \(reference.rawValue.replacing(" loop", with: ""))".right(16))
        """
    }

    func lines(_ result: WorkloadResult) -> String {
        let cells = contestants.map { contestant -> String in
            guard let times = result.times[contestant] else { return "-".right(Self.cellWidth) }
            let ratio = result.ratio(contestant, to: .swiftLoop).map { String(format: " (%.2f)", $0) } ?? ""
            return (Self.text(times.median) + ratio).right(Self.cellWidth)
        }
        let last = result.ratio(.ashlar, to: reference).map { String(format: "%.2f", $0) } ?? "-"
        return result.name.filled(Self.nameWidth) + cells.joined() + last.right(16)
            + "   checksum \(String(result.checksum, radix: 16))"
    }

    func growthHeading(_ options: Options, _ larger: Options) -> String {
        """
        milliseconds with \(options.rows) and with \(larger.rows) rows, median of \(options.rounds) rounds, and the growth
        \(columns(Self.growthWidth))
        """
    }

    func growthLine(_ result: WorkloadResult, _ larger: WorkloadResult) -> String {
        let cells = contestants.map { contestant -> String in
            guard let small = result.times[contestant]?.median, let large = larger.times[contestant]?.median else {
                return "-".right(Self.growthWidth)
            }
            let growth = String(format: "(%.1f)", large / small)
            return "\(Self.text(small)) \(Self.text(large)) \(growth)".right(Self.growthWidth)
        }
        return result.name.filled(Self.nameWidth) + cells.joined()
    }

    private static let growthWidth = 26

    private func columns(_ width: Int) -> String {
        (["workload".filled(Self.nameWidth)] + contestants.map { $0.rawValue.right(width) }).joined()
    }

    private static func text(_ milliseconds: Double) -> String {
        String(format: milliseconds < 1 ? "%.3f" : "%.1f", milliseconds)
    }
}

extension String {
    fileprivate func filled(_ width: Int) -> String { padding(toLength: width, withPad: " ", startingAt: 0) }
    fileprivate func right(_ width: Int) -> String { String(repeating: " ", count: max(width - count, 0)) + self }
}
