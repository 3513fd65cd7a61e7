import Synchronization
import SystemFoundation

extension ModelContainer {
    /// The transactions of the store's history as they are committed, by whomever, the oldest first: each of them once.
    ///
    ///     for try await transaction in container.history(.fetchHistory(after: token).by(excluding: ["sync"])) {
    ///         try await upload(transaction)
    ///         token = transaction.token
    ///     }
    ///
    /// Transactions after the place that the request begins at come first, however long ago they were committed, so that
    /// a program that keeps the token of the last one it dealt with misses none, nor sees one twice. Commits of this
    /// container and of other containers and processes are waited for as ``remoteChanges`` waits, without asking again
    /// and again. Nothing is read before the loop asks for it, and 100 transactions at a time then. The loop ends with
    /// its task, and throws what ``fetchHistory(_:)`` throws. SwiftData's `HistoryObserver`.
    ///
    /// - Parameter request: Which transactions, and which of their changes. A limit ends the loop.
    public func history(
        _ request: PersistentHistoryChangeRequest = .all
    ) -> AsyncThrowingStream<PersistentHistoryTransaction, any Error> {
        let follower = HistoryFollower(self, request)
        return AsyncThrowingStream { try await follower.next() }
    }
}

/// Reads the history on, transaction by transaction, and waits where it has none.
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
        // Before anything is read, so that no commit goes unnoticed.
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
        // What the filters left out need not be read again.
        self.request.start = .token(found.count < Self.batchSize ? end : found[found.count - 1].token)
    }
}

/// Tells that something was committed, and of several commits at once.
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
