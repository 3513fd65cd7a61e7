import Synchronization
import SystemFoundation

/// Whose turn it is in this process to import into a file: others of its tasks wait as other processes do.
final class ImportTurns: Sendable {
    static let shared = ImportTurns()

    private let taken = Mutex<Set<String>>([])

    /// Runs a closure when nobody else in this process imports into a file. Throws a `CancellationError` when the wait is
    /// cancelled.
    func taking<Result>(_ path: String, _ monitor: MigrationMonitor, _ body: () throws -> Result) throws -> Result {
        while !(taken.withLock { $0.insert(path).inserted }) {
            monitor.update { $0.phase = .waiting }
            try monitor.checkCancellation()
            usleep(10_000)
        }
        defer { taken.withLock { _ = $0.remove(path) } }
        return try body()
    }
}
