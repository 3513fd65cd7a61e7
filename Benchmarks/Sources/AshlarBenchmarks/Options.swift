import Foundation

/// What the command line asks for.
struct Options {
    static let usage = """
        usage: AshlarBenchmarks [--rows N] [--rounds N] [--only WORKLOAD]… [--contestant NAME]… [--without-rtree]
                                [--in-memory | --folder FOLDER] [--json FILE] [--plot FILE]
        workloads:   \(AshlarBenchmarks.workloads.map { $0.name.replacing(" ", with: "-") }.joined(separator: ", "))
        contestants: \(Contestant.allCases.map(\.optionName).joined(separator: ", "))
        """

    var rows = 100_000
    var rounds = 9
    /// The workloads to run; empty for all.
    var only: [String] = []
    /// The contestants to run; empty for all.
    var contestants: [Contestant] = []
    var withRTree = true
    /// Whether SQLite has the stores in memory. Workloads that need the write-ahead log are left out then.
    var isInMemory = false
    /// Where the stores are made.
    var folder = FileManager.default.temporaryDirectory
    var jsonFile: URL?
    var plotFile: URL?

    init(_ arguments: some Sequence<String>) throws {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--rows": rows = try Self.number(rest.next())
            case "--rounds": rounds = try Self.number(rest.next())
            case "--only": only.append(try Self.workload(rest.next()))
            case "--contestant": contestants.append(try Self.contestant(rest.next()))
            case "--without-rtree": withRTree = false
            case "--in-memory": isInMemory = true
            case "--folder": folder = URL(fileURLWithPath: try rest.next().orUsage())
            case "--json": jsonFile = URL(fileURLWithPath: try rest.next().orUsage())
            case "--plot": plotFile = URL(fileURLWithPath: try rest.next().orUsage())
            default: throw UsageError()
            }
        }
    }

    func selects(_ workload: String) -> Bool { only.isEmpty || only.contains(workload) }
    func selects(_ contestant: Contestant) -> Bool { contestants.isEmpty || contestants.contains(contestant) }

    private static func number(_ text: String?) throws -> Int {
        guard let text, let number = Int(text), number > 0 else { throw UsageError() }
        return number
    }

    private static func workload(_ text: String?) throws -> String {
        let name = try text.orUsage().replacing("-", with: " ")
        return try AshlarBenchmarks.workloads.map { $0.name }.first { $0 == name }.orUsage()
    }

    private static func contestant(_ text: String?) throws -> Contestant {
        try Contestant.allCases.first { $0.optionName == text }.orUsage()
    }
}

/// The command line is not understood.
struct UsageError: Error, CustomStringConvertible {
    var description: String { "this is not understood\n\(Options.usage)" }
}

extension Optional {
    fileprivate func orUsage() throws -> Wrapped {
        guard let self else { throw UsageError() }
        return self
    }
}
