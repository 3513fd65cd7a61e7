extension ModelContainer {
    /// What tells of commits to the stores by others: other processes, and other containers.
    ///
    ///     for await _ in container.remoteChanges { try refresh() }
    ///
    /// Commits since this was asked for count. Several in short order give one element, and a commit of the container's
    /// own gives none. The system tells when the write-ahead log is written; on
    /// systems that do not, and for volumes that cannot be watched, its length and date are looked at twice a second. The loop ends with its
    /// task; it keeps the stores open as long. ``RemoteChange/kind-swift.property`` tells of a migration too. Stores in memory, which nobody else can write, end it at once.
    public var remoteChanges: AsyncStream<RemoteChange> { RemoteChange.stream(of: stores) }
}
