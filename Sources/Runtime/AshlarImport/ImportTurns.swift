import Ashlar
import Synchronization
import SystemFoundation

/// The order of imports into a file within this process: other tasks wait as other processes do.
final class ImportTurns: Sendable {
    static let shared = ImportTurns()

    private let taken = Mutex<Set<String>>([])

    /// Runs a closure when no other task in this process imports into a file.
    ///
    /// - Throws: The closure's error, or `CancellationError` if the wait is cancelled.
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
