import Ashlar
import Foundation
import Synchronization

/// Prints the progress of a migration or an import: in place on a terminal, and elsewhere in a line for each tenth and
/// each phase.
final class ProgressPrinter: Sendable {
    private struct State {
        var phase: MigrationProgress.Phase?
        var steps = 0
        var hasLine = false
        var failure: OutputError?
    }

    private let state = Mutex(State())

    func tell(_ progress: MigrationProgress) {
        let output = CommandOutput.messages
        // A terminal shows each hundredth, a file has a line for each tenth.
        let steps = Int(progress.fractionCompleted * (output.isTerminal ? 100 : 10))
        state.withLock { state in
            if state.failure != nil || state.phase == progress.phase && state.steps == steps { return }
            state.phase = progress.phase
            state.steps = steps
            do throws(OutputError) {
                if output.isTerminal {
                    try output.rewrite(line: Self.bar(steps) + "  " + Self.text(progress.phase))
                    state.hasLine = true
                } else {
                    try output.write(line: "\(steps * 10) %  \(Self.text(progress.phase))")
                }
            } catch {
                state.failure = error
            }
        }
    }

    /// Leaves the written line in place; throws the error that prevented the output of the progress.
    func finish() throws(OutputError) {
        let (hasLine, failure) = state.withLock { state in
            let result = (state.hasLine, state.failure)
            state.hasLine = false
            return result
        }
        if let failure { throw failure }
        if hasLine { try CommandOutput.messages.rewrite(line: "") }
    }

    static func bar(_ hundredths: Int) -> String {
        let filled = min(max(hundredths / 5, 0), 20)
        return "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: 20 - filled)
            + "] \(hundredths) %"
    }

    private static func text(_ phase: MigrationProgress.Phase) -> String {
        switch phase {
        case .waiting: "waiting for another process"
        case .backingUp: "backing up"
        case .importing(let version): "importing a store of \"\(version)\""
        case .migrating(let from, let to): "\(from) -> \(to)"
        case .updatingSchema: "updating the schema"
        case .checking: "checking"
        }
    }
}
