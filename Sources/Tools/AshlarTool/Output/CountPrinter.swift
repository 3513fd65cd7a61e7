/// Prints the number of things that are done: in place on a terminal, and elsewhere in a line for each tenth of a known
/// number.
final class CountPrinter {
    private let things: String
    private var shown: Int64 = -1
    private var hasLine = false

    init(_ things: String) { self.things = things }

    /// - Parameter all: The number of things; nil if it is unknown.
    func tell(_ done: Int64, of all: Int64?) throws(OutputError) {
        let output = CommandOutput.messages
        let hundredths = all.map { $0 == 0 ? 100 : Int(min(100, done * 100 / $0)) }
        if output.isTerminal {
            // If the number is unknown, each ten thousand is shown.
            let step = hundredths.map(Int64.init) ?? done / 10_000
            if step == shown { return }
            shown = step
            hasLine = true
            try output.rewrite(line: (hundredths.map { ProgressPrinter.bar($0) + "  " } ?? "") + "\(done) \(things)")
        } else if let hundredths {
            // Few are not worth a line.
            guard let all, all >= 10_000, Int64(hundredths / 10) != shown else { return }
            shown = Int64(hundredths / 10)
            try output.write(line: "\(hundredths / 10 * 10) %  \(done) \(things)")
        }
    }

    func finish() throws(OutputError) {
        if hasLine { try CommandOutput.messages.rewrite(line: "") }
        hasLine = false
    }
}
