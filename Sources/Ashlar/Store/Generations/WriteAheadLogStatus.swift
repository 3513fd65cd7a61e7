public import Foundation

/// What keeps a store's write-ahead log from beginning anew, and how large it is.
public struct WriteAheadLogStatus: Sendable, Hashable {
    /// The size of the log's file in bytes. It does not shrink by itself before the log begins anew.
    public var size: Int
    /// When the states were read at which contexts of this process stay, the oldest first.
    public var pinnedGenerations: [Date]
}

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

extension PersistentStore {
    fileprivate var writeAheadLogSize: Int {
        if configuration.isStoredInMemoryOnly { return 0 }
        return Int(FileSystem.length(ofFile: url.path + "-wal") ?? 0)
    }

    fileprivate var hasOutgrownLog: Bool {
        configuration.options.pinnedLogLimit.map { writeAheadLogSize > $0 } ?? false
    }
}
