/// The times of the contestants in one workload.
struct WorkloadResult: Codable {
    var name: String
    var unit: String
    var checksum: UInt64
    var times: [Contestant: Times]

    /// The times of one contestant, in milliseconds.
    struct Times: Codable {
        var median: Double
        var minimum: Double
        var all: [Double]
    }

    init(name: String, unit: String, checksum: UInt64, durations: [Contestant: [Duration]]) {
        self.name = name
        self.unit = unit
        self.checksum = checksum
        times = durations.mapValues { durations in
            let all = durations.map { $0 / .milliseconds(1) }
            let sorted = all.sorted()
            let middle = sorted.count / 2
            let median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
            return Times(median: median, minimum: sorted[0], all: all)
        }
    }

    /// A contestant's median in multiples of another's.
    func ratio(_ contestant: Contestant, to other: Contestant) -> Double? {
        guard let time = times[contestant], let reference = times[other] else { return nil }
        return time.median / reference.median
    }
}
