import Foundation

/// A program with which lines are exchanged through its standard input and output.
final class Program {
    struct Ended: Error, CustomStringConvertible {
        var description: String
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var buffer = Data()
    let name: String

    /// - Parameter isQuiet: Whether its standard error is discarded.
    init(
        _ executable: URL, _ arguments: [String], environment: [String: String] = [:], isQuiet: Bool = false
    ) throws {
        name = ([executable.lastPathComponent] + arguments).joined(separator: " ")
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        if isQuiet { process.standardError = FileHandle.nullDevice }
        try process.run()
    }

    var isRunning: Bool { process.isRunning }

    /// The next line; nil if the program ended.
    func line() -> String? {
        while true {
            if let end = buffer.firstIndex(of: 10) {
                let line = String(decoding: buffer[buffer.startIndex..<end], as: UTF8.self)
                buffer = Data(buffer[(end + 1)...])
                return line
            }
            let bytes = output.fileHandleForReading.availableData
            if bytes.isEmpty { return nil }
            buffer.append(bytes)
        }
    }

    func send(_ line: String) {
        // A killed program receives nothing, which shows when its answer is read.
        try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    func kill() {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// Waits until it ends, and returns its status and the rest of its output.
    func finish() -> (status: Int32, output: String) {
        try? input.fileHandleForWriting.close()
        var text = ""
        while let line = line() { text += line + "\n" }
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}

/// The servers that stores use, which are killed now and then: PostgreSQL, and two hubs in front of it.
final class Servers {
    private let hubProgram: URL
    private let scripts: URL
    private let folder: URL
    private let port: Int
    private(set) var database = ""
    private var hubs: [Program] = []

    init(programs: URL, scripts: URL, folder: URL, port: Int) throws {
        self.scripts = scripts
        self.folder = folder
        self.port = port
        hubProgram = programs.appendingPathComponent("ashlar-hub")
        database = try postgres("start")
        _ = try hub(["migrate"])
        for number in 0..<2 { hubs.append(try startHub(number)) }
    }

    func hub(_ arguments: [String]) throws -> String {
        let (status, output) = try Program(hubProgram, arguments, environment: ["ASHLAR_DATABASE": database]).finish()
        guard status == 0 else { throw Program.Ended(description: "ashlar-hub \(arguments): \(status) \(output)") }
        return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Gives a log the model of the third release, which has all versions.
    func pushModel(toLog log: String) throws {
        let package = scripts.deletingLastPathComponent()
        _ = try hub([
            "model", "push", log, package.appendingPathComponent("Models/Gallery.xcdatamodeld").path, "--ashlar-json",
            package.appendingPathComponent("Sources/Gallery3/ashlar.json").path,
        ])
    }

    /// The rows of a query, which PostgreSQL's own program sends.
    func query(_ sql: String) throws -> [String] {
        let arguments = ["psql", database, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql]
        let (status, output) = try Program(URL(fileURLWithPath: "/usr/bin/env"), arguments).finish()
        guard status == 0 else { throw Program.Ended(description: "psql: \(status) \(output)") }
        return output.split(separator: "\n").map(String.init)
    }

    /// The last line that the script prints: the address of the database, when the script starts it.
    @discardableResult
    private func postgres(_ arguments: String...) throws -> String {
        let script = scripts.appendingPathComponent("postgres")
        let all = [arguments[0], folder.path] + arguments.dropFirst()
        // The server inherits the handle at which Foundation waits for the script's end, so only the output's end is
        // reliable.
        let program = try Program(script, all, isQuiet: arguments[0] == "start")
        var last = ""
        while let line = program.line() { last = line }
        guard arguments[0] == "stop" || last.hasPrefix("postgresql:") else {
            throw Program.Ended(description: "postgres \(all): \(last)")
        }
        return last
    }

    func address(_ number: Int) -> String { "http://127.0.0.1:\(port + number % 2)/" }

    private func startHub(_ number: Int) throws -> Program {
        let hub = try Program(
            hubProgram,
            ["serve", "--port", "\(port + number)", "--requests-per-second", "1000000", "--connections", "4"],
            environment: ["ASHLAR_DATABASE": database, "LOG_LEVEL": "critical"], isQuiet: true)
        while let line = hub.line() { if line.hasPrefix("Listening") { return hub } }
        throw Program.Ended(description: "a hub does not start")
    }

    func killHub(_ number: Int) throws {
        stopHub(number)
        try restartHub(number)
    }

    func stopHub(_ number: Int) { hubs[number % 2].kill() }

    func restartHub(_ number: Int) throws { hubs[number % 2] = try startHub(number % 2) }

    /// As if the machine had been switched off.
    func killPostgres() throws {
        try stopPostgres()
        try restartPostgres()
    }

    func stopPostgres() throws { try postgres("stop", "immediate") }

    func restartPostgres() throws { try postgres("start") }

    func stop() throws {
        for hub in hubs { hub.kill() }
        try postgres("stop", "immediate")
    }
}
