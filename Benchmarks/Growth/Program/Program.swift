import Counters
import Foundation

/// Counts the work of calls at several sizes, and says which grow faster than they may. `Scripts/growth` runs it.
@main struct Program {
    private var sizes = [1000, 4000, 16000]
    private var only: [String] = []
    private var exactly: Set<String> = []
    private var once: Int?
    private var lists = false
    private var printsStatements = false

    private init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--sizes": sizes = (rest.popFirst() ?? "").split(separator: ",").compactMap { Int($0) }
            case "--only": only.append(rest.popFirst() ?? "")
            case "--exactly": exactly.insert(rest.popFirst() ?? "")
            case "--once": once = rest.popFirst().flatMap { Int($0) }
            case "--list": lists = true
            case "--statements": printsStatements = true
            default: throw Mistake(description: "'\(argument)' is no option of Growth.")
            }
        }
        if sizes.count < 2 { throw Mistake(description: "--sizes takes two sizes or more, as in 100,400,1600.") }
    }

    static func main() throws {
        let holds = try Program(Array(CommandLine.arguments.dropFirst())).run()
        try? FileManager.default.removeItem(at: GrownStore.folder)
        if !holds { exit(1) }
    }

    /// Returns false if a scenario grows faster than it may.
    private func run() throws -> Bool {
        let scenarios = Scenario.all.filter { scenario in
            (only.isEmpty || only.contains { scenario.name.contains($0) })
                && (exactly.isEmpty || exactly.contains(scenario.name))
        }
        if let once {
            // Others count the work, from outside the process.
            for scenario in scenarios {
                try scenario.prepare(8)()
                _ = try scenario.measure(once)
            }
            return true
        }
        if lists {
            for scenario in scenarios {
                print(([scenario.name, "\(scenario.growth)"] + scenario.uses).joined(separator: "\t"))
            }
            return true
        }
        print("| scenario | grows with | at most | " + sizes.map(String.init).joined(separator: " | ") + " | |")
        print("|---|---|---|" + sizes.map { _ in "---|" }.joined() + "---|")
        var holds = true
        for scenario in scenarios {
            let counts: [Counts]
            do {
                // The first two runs fill the caches of the process; the second reuses statements of the first.
                for _ in 0..<2 { try scenario.prepare(8)() }
                if printsStatements { GrowthPrintStatements(1) }
                counts = try sizes.map { try scenario.measure($0) }
                GrowthPrintStatements(0)
            } catch {
                print("| \(scenario.name) | failed: \(error) |")
                holds = false
                continue
            }
            let findings = scenario.findings(counts, sizes)
            if !findings.isEmpty { holds = false }
            let cells = [scenario.name, scenario.dimension.rawValue, "\(scenario.growth)"] + counts.map(\.description)
            print("| " + (cells + [findings.joined(separator: ", ")]).joined(separator: " | ") + " |")
            fflush(nil)
        }
        return holds
    }
}

struct Mistake: Error, CustomStringConvertible {
    let description: String
}
