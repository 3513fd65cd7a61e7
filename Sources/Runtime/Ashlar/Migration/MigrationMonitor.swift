import AshlarSQLite
import Synchronization
import SystemFoundation

/// The link between a migration and its observer: it reports the progress, and whether it was cancelled.
package final class MigrationMonitor: Sendable {
    /// The number of SQLite's operations between two checks, about one millisecond's.
    static let operationsBetweenLooks: Int32 = 20_000

    private let report: (@Sendable (MigrationProgress) -> Void)?
    private let cancellation = Atomic<Bool>(false)
    /// Represents no store. Making a URL queries the file system, which would cost time at each opening.
    private static let noURL = URL(fileURLWithPath: "/dev/null")
    private let state = Mutex(MigrationProgress(url: noURL, phase: .updatingSchema))

    /// Makes a monitor; the closure is called on the thread that migrates.
    package init(report: (@Sendable (MigrationProgress) -> Void)? = nil) {
        self.report = report
    }

    /// Whether there is an observer of the progress, so that an estimate is worth its cost.
    var isWatched: Bool { report != nil }

    /// Whether the migration is to be cancelled and rolled back.
    var isCancelled: Bool { cancellation.load(ordering: .relaxed) || Task.isCancelled }

    func cancel() { cancellation.store(true, ordering: .relaxed) }

    package func checkCancellation() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Begins again with another store, without a report.
    package func begin(_ url: URL) { state.withLock { $0 = MigrationProgress(url: url, phase: .updatingSchema) } }

    /// Changes the progress, and reports it.
    package func update(_ change: (inout MigrationProgress) -> Void) {
        let progress = state.withLock { progress in
            change(&progress)
            return progress
        }
        report?(progress)
    }

    /// Runs a closure whose statements on the connection can be cancelled. The closure then throws a
    /// `CancellationError`, and SQLite may have rolled back the transaction.
    package func watching<Result>(
        _ connection: Connection, telling onLook: () -> Void = {}, _ body: () throws -> Result
    ) throws -> Result {
        try checkCancellation()
        do {
            return try connection.asking(
                every: Self.operationsBetweenLooks,
                whetherToProceed: {
                    if isCancelled { return false }
                    onLook()
                    return true
                }, body)
        } catch let error as SQLiteError where error.code == SQLITE_INTERRUPT {
            throw CancellationError()
        }
    }
}
