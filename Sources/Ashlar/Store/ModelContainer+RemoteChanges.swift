public import Foundation

/// A commit to a store by another process, or by another container of this one. Core Data's
/// `NSPersistentStoreRemoteChange` notification.
public struct RemoteChange: Sendable, Hashable {
    /// The store's UUID.
    public var storeIdentifier: String
    /// The store's file.
    public var url: URL
}

extension ModelContainer {
    /// What tells of commits to the store by others: other processes, and other containers.
    ///
    ///     for await _ in container.remoteChanges { try refresh() }
    ///
    /// Commits since this was asked for count. Several in short order give one element, and a commit of the container's
    /// own gives none. Nothing is polled: the system tells when the write-ahead log is written. The loop ends with its
    /// task; it keeps the store open as long. A store in memory, which nobody else can write, ends it at once.
    public var remoteChanges: AsyncStream<RemoteChange> {
        let change = RemoteChange(storeIdentifier: storeIdentifier, url: configuration.url)
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            if configuration.isStoredInMemoryOnly { return continuation.finish() }
            let watcher = RemoteChangeWatcher(container: self) { continuation.yield(change) }
            continuation.onTermination = { _ in watcher.stop() }
            watcher.start()
        }
    }

    /// A number that is another one after a commit by others, and the same after one of the container's own writer; nil
    /// when it cannot be had just now.
    func dataVersion() -> Int64? {
        try? pool.write { try $0.integer("PRAGMA data_version") }
    }
}
