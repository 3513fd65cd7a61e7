import ArgumentParser
import Foundation

/// The test of the whole system. Programs with stores, hubs and a PostgreSQL server are killed and cut off, while three
/// versions of a model arrive one after another. In the end, all stores are equal and sound, and each saved change is
/// there or has an event.
@main
struct FleetTest: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Has stores follow one log while all kinds of failures occur. Scripts/fleet builds what it needs.",
        subcommands: [Test.self, Demonstration.self])
}

/// The locations of the programs to start.
struct FleetPrograms: ParsableArguments {
    @Option(help: "The folder of the programs.") var programs: String
    @Option(help: "The port of the first hub; the second has the next.") var port = 18340
    @Option(help: "The package's folder.") var package: String

    /// Calls a closure with servers that run, and a folder that is removed afterwards.
    func withServers(_ body: (Servers, _ programs: URL, _ folder: URL) throws -> Void) throws {
        signal(SIGPIPE, SIG_IGN)
        let programs = URL(fileURLWithPath: programs)
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("fleet-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        defer { try? FileManager.default.removeItem(at: root) }
        let servers = try Servers(
            programs: programs, scripts: URL(fileURLWithPath: package).appendingPathComponent("Scripts"),
            folder: root.appendingPathComponent("postgres"), port: port)
        defer { try? servers.stop() }
        try body(servers, programs, root)
    }
}

struct Test: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Changes at random, with kills and cuts at random.")
    @OptionGroup var place: FleetPrograms
    @Option(help: "The program ashlar.") var tool: String
    @Option(help: "The first seed.") var seed: UInt64 = 1
    @Option(help: "How many seeds.") var seeds = 1
    @Option(help: "How many changes each has made.") var operations = 10_000
    @Option(help: "How many stores.") var stores = 5
    @Option(help: "Where the stores are kept of a seed that failed.") var keep: String?
    @Flag(help: "Print each step.") var verbose = false

    func run() throws {
        try place.withServers { servers, programs, root in try run(servers, programs, root) }
    }

    private func run(_ servers: Servers, _ programs: URL, _ root: URL) throws {
        let package = URL(fileURLWithPath: place.package)
        var failed: [UInt64] = []
        for seed in seed..<(seed + UInt64(seeds)) {
            let folder = root.appendingPathComponent("seed-\(seed)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var problems: [String]
            var summary = ""
            do {
                let fleet = try Fleet(
                    servers: servers, programs: programs, folder: folder, seed: seed, count: stores, isVerbose: verbose)
                do {
                    try fleet.run(operations: operations)
                    problems = try fleet.finish(
                        tool: URL(fileURLWithPath: tool),
                        model: package.appendingPathComponent("Models/Gallery.xcdatamodeld"),
                        configuration: package.appendingPathComponent("Sources/Gallery3/ashlar.json"))
                } catch {
                    problems = ["\(error)"]
                }
                summary =
                    "\(fleet.ledger.operations) changes, "
                    + fleet.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            }
            say("seed \(seed): \(problems.isEmpty ? "equal and sound" : "FAILED") (\(summary))")
            for problem in problems.prefix(verbose ? 500 : 20) { say("    \(problem)") }
            if !problems.isEmpty {
                failed.append(seed)
                if let keep {
                    let kept = URL(fileURLWithPath: keep).appendingPathComponent("seed-\(seed)")
                    try? FileManager.default.removeItem(at: kept)
                    try FileManager.default.copyItem(at: folder, to: kept)
                }
            }
            try? FileManager.default.removeItem(at: folder)
        }
        if !failed.isEmpty {
            print("Failed: \(failed.map(String.init).joined(separator: ", "))")
            throw ExitCode.failure
        }
    }

    /// Prints a line at once, because the test takes long.
    private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
