import AshlarSQLite
public import SystemFoundation

/// A change of a store by another process, or by another container of this process.
///
///     for await change in container.remoteChanges {
///         if change.kind == .commit { try refresh() }
///     }
///
/// Core Data's counterpart is the notification `NSPersistentStoreRemoteChange`.
public struct RemoteChange: Sendable, Hashable {
    /// The kind of a change.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// Rows were changed.
        case commit
        /// The store was migrated to another version of the model.
        ///
        /// Reading and writing now throw ``StoreError/migratedWhileOpen(_:version:)``, or
        /// ``StoreError/newerFormat(_:found:supported:)`` if a newer release of Ashlar changed the store's format.
        /// Release the container, and ask the user to update.
        case migration
        /// The store's file was removed or replaced.
        ///
        /// A write of this container detected it and threw ``StoreError/removedWhileOpen(_:)``. Release the container,
        /// and open the store again.
        case removal
    }

    /// The store's UUID.
    public var storeIdentifier: String
    /// The store's file.
    public var url: URL
    /// The kind of the change.
    public var kind = Kind.commit

    fileprivate func with(_ kind: Kind) -> RemoteChange {
        RemoteChange(storeIdentifier: storeIdentifier, url: url, kind: kind)
    }
}

extension PersistentStore {
    /// The commits that other processes and other containers make to this store, as an asynchronous sequence.
    ///
    /// See ``ModelContainer/remoteChanges``.
    ///
    ///     for await _ in store.remoteChanges { try refresh() }
    public var remoteChanges: AsyncStream<RemoteChange> { RemoteChange.stream(of: [self]) }

    /// Returns a number that changes with a commit by others, but not with one of the container's own writer; nil if it
    /// is unavailable at the moment.
    func dataVersion() -> Int64? {
        if let known = pool.suspendedDataVersion(schemaName) { return known }
        return try? pool.write(dataVersion)
    }

    /// Returns ``dataVersion()`` without waiting; nil while another thread of this process writes.
    func dataVersionIfFree() -> Result<Int64, any Error>? {
        if let known = pool.suspendedDataVersion(schemaName) { return .success(known) }
        return pool.writeIfFree { writer in Result { try dataVersion(writer) } }
    }

    private func dataVersion(_ connection: Connection) throws -> Int64 {
        let version = try connection.countedDataVersion(schemaName)
        pool.foreignCommits.note(version, of: schemaName)
        return version
    }

    /// Returns the kind of a commit by others.
    func kindOfRemoteChange() -> RemoteChange.Kind {
        do {
            try pool.write { try $0.checkSchemas() }
        } catch let error as StoreError {
            if let (url, kind) = error.findingOfStore, url == self.url { return kind }
        } catch {
            // The next read throws the error.
        }
        return .commit
    }
}

extension StoreError {
    /// The change that the error reports.
    fileprivate var findingOfStore: (url: URL, kind: RemoteChange.Kind)? {
        switch self {
        case .migratedWhileOpen(let url, _), .newerFormat(let url, _, _): (url, .migration)
        case .removedWhileOpen(let url): (url, .removal)
        default: nil
        }
    }
}

extension RemoteChange {
    /// Returns the commits of others to some stores of a container. For one store, it buffers only the newest one. For
    /// several stores, it buffers all, so that none of a rarely written store is lost.
    static func stream(of stores: [PersistentStore]) -> AsyncStream<RemoteChange> {
        let stores = stores.filter { !$0.configuration.isStoredInMemoryOnly }
        return AsyncStream(bufferingPolicy: stores.count > 1 ? .unbounded : .bufferingNewest(1)) { continuation in
            if stores.isEmpty { return continuation.finish() }
            let observation = RemoteChangeObservation(of: stores) { continuation.yield($0) }
            continuation.onTermination = { _ in observation.stop() }
        }
    }
}

/// Reports commits by others to some stores of a container, until it is stopped. It keeps the stores open as long as it
/// exists.
final class RemoteChangeObservation: Sendable {
    private let watchers: [RemoteChangeWatcher]
    private let findings: StoreFindings?
    private let observer: Int?

    /// Begins to observe the stores that are in files.
    init(of stores: [PersistentStore], report: @escaping @Sendable (RemoteChange) -> Void) {
        let stores = stores.filter { !$0.configuration.isStoredInMemoryOnly }
        // The closures do not reference the stores, so that a stopped observation keeps none open during a report.
        let changes = stores.map { RemoteChange(storeIdentifier: $0.storeIdentifier, url: $0.url) }
        watchers = zip(stores, changes).map { store, change in
            RemoteChangeWatcher(store: store) { kind in report(change.with(kind)) }
        }
        findings = stores.first?.pool.findings
        observer = findings?.observe { error in
            guard let (url, kind) = error.findingOfStore, let change = changes.first(where: { $0.url == url }) else {
                return
            }
            report(change.with(kind))
        }
        for watcher in watchers { watcher.start() }
    }

    func stop() {
        if let observer { findings?.removeObserver(observer) }
        for watcher in watchers { watcher.stop() }
    }
}
