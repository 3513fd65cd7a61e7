import Foundation
import GalleryRelease

/// Programs with stores that follow one log over hubs, in which one thing after another goes wrong.
final class Fleet {
    private struct Peer {
        var program: Program
        var release = 1
        /// The number of starts. Each start has its own tags.
        var starts = 1
        /// The number of steps for which it is cut off from the hubs.
        var absence = 0
    }

    private let programs: URL
    private let folder: URL
    private let servers: Servers
    private let log: String
    private let token: String
    private var peers: [Peer] = []
    private var numbers: SeededNumbers
    private(set) var ledger = Ledger()
    private(set) var counts: [String: Int] = [:]
    private let isVerbose: Bool
    /// Whether the hubs keep the rows as tables.
    private let hasTables: Bool

    init(servers: Servers, programs: URL, folder: URL, seed: UInt64, count: Int, isVerbose: Bool) throws {
        self.servers = servers
        self.programs = programs
        self.folder = folder
        self.isVerbose = isVerbose
        numbers = SeededNumbers(seed)
        log = "fleet-\(UUID().uuidString)"
        token = try servers.hub(["token", "make", log, "--access", "administer"])
        hasTables = seed % 2 == 1
        if hasTables { try servers.pushModel(toLog: log) }
        for number in 0..<count { peers.append(Peer(program: try start(number, release: 1, starts: 1))) }
    }

    private func start(_ number: Int, release: Int, starts: Int) throws -> Program {
        let program = try Program(
            programs.appendingPathComponent("GalleryPeer"),
            [
                folder.appendingPathComponent("\(number).store").path, "\(release)", servers.address(number), log,
                token,
                "peer\(number).\(starts)",
            ])
        while let line = program.line() {
            if line == "ready" { return program }
            throw Program.Ended(description: "store \(number), release \(release): \(line)")
        }
        throw Program.Ended(description: "store \(number), release \(release) does not open")
    }

    private func restart(_ number: Int) throws {
        peers[number].program.kill()
        ledger.lose(number)
        peers[number].starts += 1
        peers[number].program = try start(number, release: peers[number].release, starts: peers[number].starts)
    }

    /// Sends a program a command. If the program ends meanwhile, it is started again; when it asks, `meanwhile` is
    /// called.
    ///
    /// - Returns: Its last line; nil if it ended.
    @discardableResult
    private func tell(
        _ number: Int, _ line: String, onLine: (String) -> Void = { _ in }, meanwhile: () throws -> Void = {}
    ) throws -> String? {
        let program = peers[number].program
        program.send(line)
        while let answer = program.line() {
            ledger.read(answer, from: number)
            if answer == "asks" {
                try meanwhile()
                program.send("go")
            } else if answer.hasPrefix("failed") {
                throw Program.Ended(description: "store \(number), release \(peers[number].release): \(answer)")
            } else if answer.hasPrefix("done") {
                if isVerbose { print("\(number) \(line): \(answer)") }
                return answer
            } else {
                onLine(answer)
            }
        }
        if isVerbose { print("\(number) \(line): killed") }
        try restart(number)
        return nil
    }

    private func count(_ what: String) { counts[what, default: 0] += 1 }

    // MARK: Going on

    /// Runs the programs until they have made a number of changes.
    func run(operations: Int) throws {
        while ledger.operations < operations {
            let number = numbers.below(peers.count)
            if peers[number].absence > 0 { peers[number].absence -= 1 }
            switch numbers.below(100) {
            case 0..<55: try tell(number, "write \(1 + numbers.below(40)) \(numbers.next() >> 1)")
            case 55..<75: try exchange(number)
            case 75..<85: try exchange(number, breaking: true)
            case 85..<88:
                peers[number].absence = 5 + numbers.below(30)
                count("partitions")
            case 88..<91: try die(number)
            case 91..<94: try update(number, after: ledger.operations, of: operations)
            case 94..<96:
                count("snapshots")
                if peers[number].absence == 0 {
                    try tell(number, numbers.oneIn(3) ? "snapshot compacting" : "snapshot only")
                }
            case 96:
                count("hubs killed")
                try servers.killHub(numbers.below(2))
            case 97 where numbers.oneIn(6):
                count("PostgreSQL killed")
                try servers.killPostgres()
            default: break
            }
        }
    }

    /// Reads and sends, while others do something in the middle of it where `breaking` is set.
    private func exchange(_ number: Int, breaking isBreaking: Bool = false) throws {
        if peers[number].absence > 0 { return }
        count("exchanges")
        guard isBreaking else {
            try tell(number, "sync")
            return
        }
        let action = ["lose", "die", "ask", "ask"][numbers.below(4)]
        try tell(number, "break \(1 + numbers.below(8)) \(numbers.oneIn(2) ? "before" : "after") \(action)")
        let choice = numbers.below(4)
        let other = numbers.below(peers.count)
        count(
            action == "ask"
                ? ["others in between", "others in between", "hubs killed in a call", "PostgreSQL killed in a call"][
                    choice] : "calls: \(action)")
        try tell(number, "sync") {
            _ in
        } meanwhile: {
            switch choice {
            case 0...1:
                if other != number, peers[other].absence == 0 { try tell(other, "sync") }
            case 2: try servers.killHub(number)
            default: try servers.killPostgres()
            }
        }
    }

    /// Kills a program during one of the writes of a command. The same seed kills it at the same write.
    private func die(_ number: Int) throws {
        try tell(number, "die \(numbers.below(numbers.oneIn(2) ? 20 : 600))")
        let isWriting = numbers.oneIn(2) || peers[number].absence > 0
        let answer = try tell(number, isWriting ? "write 200 \(numbers.next() >> 1)" : "sync")
        count(answer == nil ? "programs killed in a write" : "programs killed after a call")
        // It had less to write.
        if answer != nil { try restart(number) }
    }

    /// Starts the next release of a program: the second after a third of the test, the third after two thirds.
    private func update(_ number: Int, after done: Int, of all: Int) throws {
        let newest = min(3, 1 + done * 3 / max(1, all))
        guard peers[number].release < newest else { return }
        count("updates")
        peers[number].release += 1
        try restart(number)
    }

    // MARK: The end

    /// Synchronizes all stores, and returns the problems that it finds.
    func finish(tool: URL, model: URL, configuration: URL) throws -> [String] {
        for number in peers.indices {
            peers[number].release = 3
            try restart(number)
        }
        // One more store, which is empty and reads the log.
        peers.append(Peer(program: try start(peers.count, release: 3, starts: 1), release: 3))
        for _ in 0..<3 {
            for number in peers.indices {
                let answer = try tell(number, "sync")
                guard answer == "done" else {
                    return ["store \(number) does not come to an end: \(answer ?? "killed")"]
                }
            }
        }
        var objects: [[String: (kind: String, values: [String: Int64])]] = []
        var events: [String] = []
        var problems: [String] = []
        for number in peers.indices {
            var found: [String: (kind: String, values: [String: Int64])] = [:]
            try tell(number, "list") { line in
                let words = line.split(separator: " ").map(String.init)
                switch words[0] {
                case "object":
                    let values = words.dropFirst(3).map { $0.split(separator: "=") }
                    found[words[2]] = (
                        words[1],
                        Dictionary(values.map { (String($0[0]), Int64($0[1]) ?? -1) }, uniquingKeysWith: { $1 })
                    )
                case "event": events.append(line)
                default: problems.append("store \(number): \(line)")
                }
            }
            objects.append(found)
            peers[number].program.kill()
        }
        counts["objects"] = objects[0].count
        counts["events"] = events.count
        problems += ledger.problems(objects[0], events: events)
        if hasTables {
            let lines = objects[0].map { tag, object in
                ([object.kind, tag] + object.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
                    .joined(separator: " ")
            }
            let tables = try tableLines()
            counts["rows of tables"] = tables.count
            problems += Set(lines).symmetricDifference(tables).map { "the tables differ: \($0)" }
        }
        let stores = peers.indices.map { folder.appendingPathComponent("\($0).store").path }
        for store in stores {
            let check = try Program(
                tool, ["check", store, "--model", model.path, "--ashlar-json", configuration.path]
            ).finish()
            if check.status != 0 { problems.append("\(store): \(check.output)") }
        }
        for store in stores.dropFirst() {
            let difference = try Program(tool, ["diff", stores[0], store, "--exit-code"]).finish()
            if difference.status != 0 { problems.append("\(store): \(difference.output)") }
        }
        return problems
    }

    /// The rows of the tables, as programs list objects.
    private func tableLines() throws -> [String] {
        let columns = [
            "Album": "", "Label": "", "Playlist": "", "Profile": "", "Place": "",
            "Person": " || CASE entity$ WHEN 'Guest' THEN ' visits=' || visits ELSE '' END",
            "Photo": " || ' likes=' || likes || ' score=' || score",
        ]
        let selections = columns.map { table, values in
            "SELECT '\(table) ' || tag\(values) FROM \"log_\(log)\".\"\(table)\""
        }
        return try servers.query(selections.joined(separator: " UNION ALL "))
    }

    deinit { for peer in peers { peer.program.kill() } }
}
