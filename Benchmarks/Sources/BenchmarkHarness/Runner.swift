/// Two contestants of a workload did not do the same work, so that their times mean nothing.
struct DifferentWork: Error, CustomStringConvertible {
    var workload: String
    var contestant: Contestant
    var expected: Checksum
    var found: Checksum?

    var description: String {
        "\(contestant.rawValue) did other work than the rest in \"\(workload)\": "
            + "\(found.map { "\($0)" } ?? "nothing") in place of \(expected)"
    }
}

/// Runs workloads round by round, in each round all contestants in an order of its own.
struct Runner<Prepared> {
    let options: Options
    let prepared: Prepared

    func run(_ type: any Workload<Prepared>.Type) throws -> WorkloadResult {
        let workload = try type.init(prepared)
        let contestants = type.contestants.filter { options.selects($0) }
        let checksum = try verify(workload, contestants)
        var durations: [Contestant: [Duration]] = [:]
        for _ in 0..<options.rounds {
            for contestant in contestants.shuffled() {
                let round = Round(isVerifying: false)
                try workload.run(contestant, round)
                durations[contestant, default: []].append(round.duration)
            }
        }
        return WorkloadResult(name: type.name, unit: type.unit, checksum: checksum.sum, durations: durations)
    }

    /// Runs each contestant once, which also warms the caches, and compares the checksums of their work.
    private func verify(_ workload: any Workload<Prepared>, _ contestants: [Contestant]) throws -> Checksum {
        var expected: Checksum?
        for contestant in contestants {
            let round = Round(isVerifying: true)
            try workload.run(contestant, round)
            guard let found = round.checksum, found == expected ?? found else {
                throw DifferentWork(
                    workload: type(of: workload).name, contestant: contestant, expected: expected ?? Checksum(),
                    found: round.checksum)
            }
            expected = found
        }
        return expected ?? Checksum()
    }
}
