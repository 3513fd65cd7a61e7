import Synchronization
import SystemFoundation

extension ModelContainer {
    /// Returns the transactions of the store's history as an asynchronous sequence that continues with new commits.
    ///
    /// Each transaction appears once, the oldest first. The sequence begins with transactions after the request's
    /// start, however old. A program that keeps the token of the last transaction it processed misses none.
    ///
    ///     for try await transaction in container.history(.fetchHistory(after: token).by(excluding: ["sync"])) {
    ///         try await upload(transaction)
    ///         token = transaction.token
    ///     }
    ///
    /// The sequence waits for commits of this container, other containers and other processes, as ``remoteChanges``
    /// does. It reads only on demand, 100 transactions at a time. It ends when its task is cancelled, and throws the
    /// errors of ``fetchHistory(_:)``. SwiftData's counterpart is `HistoryObserver`.
    ///
    /// - Parameter request: The transactions to return, and which of their changes. A limit ends the sequence.
    public func history(
        _ request: PersistentHistoryChangeRequest = .all
    ) -> AsyncThrowingStream<PersistentHistoryTransaction, any Error> {
        let follower = HistoryFollower(self, request)
        return AsyncThrowingStream { try await follower.next() }
    }
}

/// Reads the history transaction by transaction, and waits for new ones at its end.
private actor HistoryFollower {
    private static let batchSize = 100

    private let container: ModelContainer
    private let commits: HistoryCommits
    private var waits: AsyncStream<Void>.Iterator
    private var request: PersistentHistoryChangeRequest
    private var remaining: Int?
    private var waiting: ArraySlice<PersistentHistoryTransaction> = []

    init(_ container: ModelContainer, _ request: PersistentHistoryChangeRequest) {
        self.container = container
        self.request = request
        remaining = request.fetchLimit > 0 ? request.fetchLimit : nil
        // Listens before the first read, so that no commit is missed.
        commits = HistoryCommits(container)
        waits = commits.stream.makeAsyncIterator()
    }

    func next() async throws -> PersistentHistoryTransaction? {
        if remaining == 0 || Task.isCancelled { return nil }
        while waiting.isEmpty {
            do {
                try read()
                if !waiting.isEmpty { break }
            } catch StoreError.suspended {
                // The wait ends when the store can be read.
            }
            var waits = self.waits
            guard await waits.next(isolation: self) != nil, !Task.isCancelled else { return nil }
            self.waits = waits
        }
        remaining = remaining.map { $0 - 1 }
        return waiting.popFirst()
    }

    private func read() throws {
        var request = request
        request.fetchLimit = Self.batchSize
        let (found, end) = try container.readHistory { (try $0.transactions(request), $0.currentToken) }
        waiting = found[...]
        // Transactions that the filters excluded need not be read again.
        self.request.start = .token(found.count < Self.batchSize ? end : found[found.count - 1].token)
    }
}

/// Notifies of commits. Several commits in short order may give one element.
private final class HistoryCommits: Sendable {
    let stream: AsyncStream<Void>
    private let number = UUID()
    private let recorder: HistoryRecorder?
    private let watchers: [RemoteChangeWatcher]
    private let pool: ConnectionPool
    private let observer: Int

    init(_ container: ModelContainer) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.stream = stream
        pool = container.pool
        observer = pool.suspensionObservers.add { if !$0 { continuation.yield() } }
        recorder = container.pool.history
        recorder?.addListener(number) { continuation.yield() }
        watchers = container.stores.filter { !$0.configuration.isStoredInMemoryOnly }.map { store in
            RemoteChangeWatcher(store: store) { _ in continuation.yield() }
        }
        for watcher in watchers { watcher.start() }
    }

    deinit {
        recorder?.removeListener(number)
        pool.suspensionObservers.remove(observer)
        for watcher in watchers { watcher.stop() }
    }
}
