import Foundation

/// The form of a program's command line.
package struct OptionForm {
    let program: String
    let workloads: [String]
    let contestants: [Contestant]
    let switches: [String]

    fileprivate var usage: String {
        """
        usage: \(program) [--rows N] [--rounds N] [--only WORKLOAD]… [--contestant NAME]…
                          [--folder FOLDER] [--json FILE] \(switches.map { "[\($0)]" }.joined(separator: " "))
        workloads:   \(workloads.map { $0.replacing(" ", with: "-") }.joined(separator: ", "))
        contestants: \(contestants.map(\.optionName).joined(separator: ", "))
        """
    }
}

/// The options of a command line.
package struct Options {
    package var rows = 100_000
    package var rounds = 9
    /// The workloads to run; empty for all.
    package var only: [String] = []
    /// The contestants to run; empty for all.
    package var contestants: [Contestant] = []
    package var withRTree = true
    /// Whether SQLite has the stores in memory. Workloads that need the write-ahead log are left out then.
    package var isInMemory = false
    /// Whether each workload also runs with four times the rows, and the times are shown in multiples.
    package var showsGrowth = false
    /// The folder in which the stores are made.
    package var folder = FileManager.default.temporaryDirectory
    /// The folder of the stores that are kept for several runs; nil for a folder that goes with the process.
    package var stores: URL?
    /// The size of an imported store.
    package var megabytes = 50
    package var jsonFile: URL?
    package var plotFile: URL?

    package init(_ arguments: some Sequence<String>, _ form: OptionForm) throws {
        var rest = arguments.makeIterator()
        let error = UsageError(usage: form.usage)
        func next() throws -> String { try rest.next().orThrow(error) }
        func number() throws -> Int { try Int(try next()).flatMap { $0 > 0 ? $0 : nil }.orThrow(error) }
        while let argument = rest.next() {
            switch argument {
            case "--rows": rows = try number()
            case "--rounds": rounds = try number()
            case "--only":
                let name = try next().replacing("-", with: " ")
                only.append(try form.workloads.first { $0.replacing("-", with: " ") == name }.orThrow(error))
            case "--contestant":
                let name = try next()
                contestants.append(try form.contestants.first { $0.optionName == name }.orThrow(error))
            case "--folder": folder = URL(fileURLWithPath: try next())
            case "--json": jsonFile = URL(fileURLWithPath: try next())
            case "--without-rtree" where form.switches.contains(argument): withRTree = false
            case "--in-memory" where form.switches.contains(argument): isInMemory = true
            case "--growth" where form.switches.contains(argument): showsGrowth = true
            case "--stores" where form.switches.contains("--stores FOLDER"):
                stores = URL(fileURLWithPath: try next())
            case "--megabytes" where form.switches.contains("--megabytes N"): megabytes = try number()
            case "--plot" where form.switches.contains("--plot FILE"): plotFile = URL(fileURLWithPath: try next())
            default: throw error
            }
        }
    }

    func selects(_ workload: String) -> Bool { only.isEmpty || only.contains(workload) }
    func selects(_ contestant: Contestant) -> Bool { contestants.isEmpty || contestants.contains(contestant) }
}

/// The command line is not understood.
package struct UsageError: Error, CustomStringConvertible {
    private let usage: String

    package init(usage: String) { self.usage = usage }

    package var description: String { "this is not understood\n\(usage)" }
}

extension Optional {
    fileprivate func orThrow(_ error: UsageError) throws -> Wrapped {
        guard let self else { throw error }
        return self
    }
}
