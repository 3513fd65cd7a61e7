extension ModelContainer {
    /// Returns the size of the write-ahead logs, and which readers keep them from being reset.
    ///
    /// Use it if a log grows. Everything that was committed after the oldest state in use, in any process, stays in the
    /// log. The call only looks at files and does not query the stores.
    ///
    ///     let status = container.writeAheadLogStatus()
    ///     print(status)
    public func writeAheadLogStatus() -> WriteAheadLogStatus {
        let size = stores.reduce(0) { $0 + $1.writeAheadLogSize }
        return WriteAheadLogStatus(size: size, pinnedGenerations: generations.dates.sorted())
    }

    /// Ends the pinned states of contexts if the log of a store exceeds its ``StoreOptions/pinnedLogLimit``.
    func limitPinnedLog() {
        if stores.contains(where: \.hasOutgrownLog) { generations.endIdle() }
    }

    /// The first store in memory, which prevents pinned states; nil if all stores are in files.
    var storeInMemory: PersistentStore? { stores.first(where: \.configuration.isStoredInMemoryOnly) }
}
