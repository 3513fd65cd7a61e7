import CLoops
import Foundation

/// Figures of one contestant in one workload besides its time.
private struct Details: Codable {
    /// The most memory that the process had, in MiB.
    var memory: Int
    /// The statements of one round.
    var statements: Int
    /// The longest stop of the main thread in milliseconds, the median of all rounds.
    var stop: Double?
}

/// Peak memory, statements and stops of the main thread, each contestant of a workload in a process of its own.
extension BenchmarkTable {
    /// Runs the chosen workloads in processes that work on the stores of a folder, and prints a line for each.
    package func runDetails(_ options: Options, stores: URL) throws {
        print("MiB of the process at most, statements of a round, longest stop of the main thread in milliseconds")
        print("| workload | \(contestants.map(\.rawValue).joined(separator: " | ")) |")
        print("|\(String(repeating: " --- |", count: contestants.count + 1))")
        for workload in workloads where options.selects(workload.name) {
            let cells = try contestants.map { contestant -> String in
                guard workload.contestants.contains(contestant), options.selects(contestant) else { return "" }
                let details = try Self.details(workload.name, contestant, options, stores)
                let stop = details.stop.map { String(format: ", %.1f", $0) } ?? ""
                return "\(details.memory), \(details.statements)\(stop)"
            }
            print("| \(workload.name) | \(cells.joined(separator: " | ")) |")
            flush()
        }
    }

    /// Runs one contestant in one workload, and prints the figures for ``runDetails(_:stores:)``.
    package func printDetails(_ options: Options) throws {
        guard let type = workloads.first(where: { options.selects($0.name) }),
            let contestant = type.contestants.first(where: { options.selects($0) })
        else { throw LoopError(description: "there is no such workload") }
        CLoopsCountStatements()
        let details = try details(type, contestant, options, prepare(options))
        print(String(decoding: try JSONEncoder().encode(details), as: UTF8.self))
    }

    private func details(
        _ type: any Workload<Prepared>.Type, _ contestant: Contestant, _ options: Options, _ prepared: Prepared
    ) throws -> Details {
        let workload = try type.init(prepared)
        // Fills the caches.
        try workload.run(contestant, Round(isVerifying: false))
        let heartbeat = Heartbeat()
        var statements = 0
        var stops: [Double] = []
        for _ in 0..<options.rounds {
            let round = Round(observing: heartbeat)
            try workload.run(contestant, round)
            statements = round.statements
            stops.append(heartbeat.take() / .milliseconds(1))
        }
        let stop = stops.sorted()[stops.count / 2]
        return Details(
            memory: try ProcessMemory.peak() / 1024, statements: statements, stop: type.usesMainThread ? stop : nil)
    }

    private static func details(
        _ workload: String, _ contestant: Contestant, _ options: Options, _ stores: URL
    ) throws -> Details {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [
            "one", "--only", workload.replacing(" ", with: "-"), "--contestant", contestant.optionName,
            "--rows", "\(options.rows)", "--rounds", "\(options.rounds)", "--megabytes", "\(options.megabytes)",
            "--folder", options.folder.path, "--stores", stores.path,
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw LoopError(description: "\(workload) as \(contestant.rawValue) ended with an error")
        }
        return try JSONDecoder().decode(Details.self, from: output)
    }
}
