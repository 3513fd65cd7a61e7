public import SystemFoundation

/// The size of a store's write-ahead log, and the readers that keep it from being reset.
///
/// ``ModelContainer/writeAheadLogStatus()`` returns it.
///
///     let status = container.writeAheadLogStatus()
///     if status.size > 100 << 20 { print("pinned since", status.pinnedGenerations.first as Any) }
public struct WriteAheadLogStatus: Sendable, Hashable {
    /// The size of the log's file in bytes. The file does not shrink before the log is reset.
    public var size: Int
    /// The times at which pinned contexts of this process read their states, the oldest first.
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
