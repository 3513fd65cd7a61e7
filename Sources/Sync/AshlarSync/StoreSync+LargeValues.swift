import Ashlar
import Foundation
import Synchronization

extension StoreSync {
    /// Downloads all large values that were left in the log, so that they are available offline.
    ///
    /// The model leaves an attribute's large values in the log with `ashlar.sync.largeValues` in its `userInfo`. Values
    /// that are already here are not downloaded again. Each value is kept as it arrives, so the next call continues
    /// after a cancellation or an error.
    ///
    ///     let count = try await sync.readLargeValues()
    ///
    /// - Returns: The number of downloaded values.
    /// - Throws: ``SyncLogError``, `StoreError`, an error of Foundation if a file cannot be written, or
    ///   `CancellationError`.
    @discardableResult
    public func readLargeValues() async throws -> Int {
        let hashes = try container.readRows("looking for large values") { try logged.hashes($0) }
        var count = 0
        for hash in hashes.sorted() where !loggedValues.has(hash) {
            try Task.checkCancellation()
            try loggedValues.keep(try await value(hash), hash)
            count += 1
        }
        return count
    }

    /// Removes downloaded values that no row names any more.
    func removeUnusedValues() throws {
        if logged.isEmpty { return }
        try loggedValues.removeAll(but: container.readRows("looking for large values") { try logged.hashes($0) })
    }
}

extension SyncLog {
    /// A large value. A log may say anything.
    func checkedValue(hash: String) async throws -> Data {
        let bytes = try await value(hash: hash)
        guard EntryBody.hash(of: bytes) == hash else {
            throw SyncLogError.malformed(reason: "the value \(hash) has other bytes")
        }
        return bytes
    }
}

/// Reads values from a log while the thread waits, for property getters that cannot suspend.
struct LoggedValueReader: Sendable {
    private let log: any SyncLog
    private let executor = WaitedForExecutor()

    init(_ log: any SyncLog) { self.log = log }

    /// A value; the thread waits for it.
    func value(_ hash: String) throws -> Data {
        let isDone = DispatchSemaphore(value: 0)
        let read = Outcome()
        Task(executorPreference: executor) { [log] in
            do {
                let bytes = try await log.checkedValue(hash: hash)
                read.result.withLock { $0 = .success(bytes) }
            } catch {
                read.result.withLock { $0 = .failure(error) }
            }
            isDone.signal()
        }
        isDone.wait()
        return try read.result.withLock { $0 }.get()
    }

    private final class Outcome: Sendable {
        let result = Mutex<Result<Data, any Error>>(.failure(CancellationError()))
    }
}

/// Runs tasks on threads of its own. Those of Swift's tasks may all be among those that wait.
private final class WaitedForExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "ashlar.sync.large-values", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
