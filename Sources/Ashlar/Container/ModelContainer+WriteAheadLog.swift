extension ModelContainer {
    /// How large the write-ahead log is, of several stores all of them, and who may keep it from beginning anew. Costs a
    /// look at the folder.
    ///
    /// Whatever is committed after the oldest state that anybody reads, in this process or another, stays in the log.
    public func writeAheadLogStatus() -> WriteAheadLogStatus {
        let size = stores.reduce(0) { $0 + $1.writeAheadLogSize }
        return WriteAheadLogStatus(size: size, pinnedGenerations: generations.dates.sorted())
    }

    /// Ends the states at which contexts stay, where the log of a store has outgrown its
    /// ``StoreOptions/pinnedLogLimit``.
    func limitPinnedLog() {
        if stores.contains(where: \.hasOutgrownLog) { generations.endIdle() }
    }

    /// A store in memory, for whose sake nothing has earlier states; nil where all are in files.
    var storeInMemory: PersistentStore? { stores.first(where: \.configuration.isStoredInMemoryOnly) }
}
