public import SystemFoundation

/// What keeps a store's write-ahead log from beginning anew, and how large it is.
public struct WriteAheadLogStatus: Sendable, Hashable {
    /// The size of the log's file in bytes. It does not shrink by itself before the log begins anew.
    public var size: Int
    /// When the states were read at which contexts of this process stay, the oldest first.
    public var pinnedGenerations: [Date]
}

extension PersistentStore {
    var writeAheadLogSize: Int {
        if configuration.isStoredInMemoryOnly { return 0 }
        return Int(FileSystem.length(ofFile: url.path + "-wal") ?? 0)
    }

    var hasOutgrownLog: Bool {
        configuration.options.pinnedLogLimit.map { writeAheadLogSize > $0 } ?? false
    }
}
