import Foundation

/// Everything that a run measured, as JSON for other programs.
struct Report: Codable {
    var rows: Int
    var rounds: Int
    var withRTree: Bool
    var workloads: [WorkloadResult] = []

    init(_ options: Options) {
        rows = options.rows
        rounds = options.rounds
        withRTree = options.withRTree
    }

    func write(to file: URL?) throws {
        guard let file else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: file)
    }

    /// Draws the table as an SVG file.
    func plot(to file: URL?) throws {
        if let file { try Data(Plot(self).svg.utf8).write(to: file) }
    }
}
