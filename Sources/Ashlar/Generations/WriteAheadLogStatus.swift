public import Foundation

/// What keeps a store's write-ahead log from beginning anew, and how large it is.
public struct WriteAheadLogStatus: Sendable, Hashable {
    /// The size of the log's file in bytes. It does not shrink by itself before the log begins anew.
    public var size: Int
    /// When the states were read at which contexts of this process stay, the oldest first.
    public var pinnedGenerations: [Date]
}

extension ModelContainer {
    /// How large the write-ahead log is, and who may keep it from beginning anew. Costs a look at the folder.
    ///
    /// Whatever is committed after the oldest state that anybody reads, in this process or another, stays in the log.
    public func writeAheadLogStatus() -> WriteAheadLogStatus {
        WriteAheadLogStatus(size: writeAheadLogSize, pinnedGenerations: generations.dates.sorted())
    }

    private var writeAheadLogSize: Int {
        if configuration.isStoredInMemoryOnly { return 0 }
        let attributes = try? FileManager.default.attributesOfItem(atPath: configuration.url.path + "-wal")
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    /// Ends the states at which contexts stay, where the log has outgrown ``StoreOptions/pinnedLogLimit``.
    func limitPinnedLog() {
        guard let limit = configuration.options.pinnedLogLimit, writeAheadLogSize > limit else { return }
        generations.endIdle()
    }
}
