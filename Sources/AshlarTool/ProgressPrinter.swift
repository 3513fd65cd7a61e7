import Ashlar
import Foundation
import Synchronization

/// Prints how far a migration or an import is, a line for each tenth and each phase.
final class ProgressPrinter: Sendable {
    private let last = Mutex<(phase: MigrationProgress.Phase?, tenths: Int)>((nil, 0))

    func tell(_ progress: MigrationProgress) {
        let tenths = Int(progress.fractionCompleted * 10)
        let isNews = last.withLock { last in
            if last.phase == progress.phase && last.tenths == tenths { return false }
            last = (progress.phase, tenths)
            return true
        }
        guard isNews else { return }
        let what =
            switch progress.phase {
            case .waiting: "waiting for another process"
            case .backingUp: "backing up"
            case .importing(let version): "importing a store of \"\(version)\""
            case .migrating(let from, let to): "\(from) -> \(to)"
            case .updatingSchema: "updating the schema"
            case .checking: "checking"
            }
        FileHandle.standardError.write(Data("\(tenths * 10) %  \(what)\n".utf8))
    }
}
