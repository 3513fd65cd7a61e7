import AshlarSQLite
import Foundation
import Synchronization

/// Between a migration and who waits for it: tells how far it is, and whether it was cancelled.
final class MigrationMonitor: Sendable {
    /// The number of SQLite's operations between two looks, about a millisecond's.
    static let operationsBetweenLooks: Int32 = 20_000

    private let report: (@Sendable (MigrationProgress) -> Void)?
    private let cancellation = Atomic<Bool>(false)
    /// Stands for no store. Making a URL asks the system about the file, which would be done at each opening.
    private static let noURL = URL(fileURLWithPath: "/dev/null")
    private let state = Mutex(MigrationProgress(url: noURL, phase: .updatingSchema))

    /// Makes a monitor; the closure is called on the thread that migrates.
    init(report: (@Sendable (MigrationProgress) -> Void)? = nil) {
        self.report = report
    }

    /// Whether anybody wants to know how far it is, so that estimating is worth its price.
    var isWatched: Bool { report != nil }

    /// Whether the migration shall end without effect.
    var isCancelled: Bool { cancellation.load(ordering: .relaxed) || Task.isCancelled }

    func cancel() { cancellation.store(true, ordering: .relaxed) }

    func checkCancellation() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Begins anew with another store, without telling anything.
    func begin(_ url: URL) { state.withLock { $0 = MigrationProgress(url: url, phase: .updatingSchema) } }

    /// Changes what is told, and tells it.
    func update(_ change: (inout MigrationProgress) -> Void) {
        let progress = state.withLock { progress in
            change(&progress)
            return progress
        }
        report?(progress)
    }

    /// Runs a closure so that a statement that it runs on the connection can be cancelled. It throws a
    /// `CancellationError` then, and SQLite may have rolled the transaction back.
    func watching<Result>(
        _ connection: Connection, telling onLook: () -> Void = {}, _ body: () throws -> Result
    ) throws -> Result {
        try checkCancellation()
        return try withoutActuallyEscaping(onLook) { onLook in
            let look = Look(monitor: self, body: onLook)
            return try withExtendedLifetime(look) {
                sqlite3_progress_handler(
                    connection.database, Self.operationsBetweenLooks,
                    { Unmanaged<Look>.fromOpaque($0!).takeUnretainedValue().run() },
                    Unmanaged.passUnretained(look).toOpaque())
                defer { sqlite3_progress_handler(connection.database, 0, nil, nil) }
                do {
                    return try body()
                } catch let error as SQLiteError where error.code == SQLITE_INTERRUPT {
                    throw CancellationError()
                }
            }
        }
    }

    /// What happens between SQLite's operations.
    private final class Look {
        private let monitor: MigrationMonitor
        private let body: () -> Void

        init(monitor: MigrationMonitor, body: @escaping () -> Void) {
            self.monitor = monitor
            self.body = body
        }

        /// Anything but 0 interrupts the statement.
        func run() -> Int32 {
            if monitor.isCancelled { return 1 }
            body()
            return 0
        }
    }
}
