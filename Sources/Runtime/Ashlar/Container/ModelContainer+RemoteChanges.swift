extension ModelContainer {
    /// The commits that other processes and other containers make to the stores, as an asynchronous sequence.
    ///
    /// Use it to refresh views and caches. A commit of this container gives no element, and several in short order give
    /// one. ``RemoteChange/kind-swift.property`` distinguishes migrations.
    ///
    ///     for await _ in container.remoteChanges { try refresh() }
    ///
    /// The sequence begins when you read the property, and keeps the stores open until its task ends. Where the system
    /// cannot watch the write-ahead log, Ashlar looks at its length and date twice a second. With stores in memory the
    /// sequence ends at once. Core Data's counterpart is `NSPersistentStoreRemoteChange`.
    public var remoteChanges: AsyncStream<RemoteChange> { RemoteChange.stream(of: stores) }
}
