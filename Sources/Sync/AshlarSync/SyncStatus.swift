public import Ashlar
public import Foundation

/// The progress of a store's synchronization with its log.
///
///     let status = await sync.status
///     if case .waiting(let reason) = status.state { print(reason) }
public struct SyncStatus: Sendable, Hashable {
    /// The current activity.
    public enum State: Sendable, Hashable {
        /// Neither ``StoreSync/run()`` nor ``StoreSync/synchronize()`` is running.
        case idle
        /// Changes are being read or sent.
        case exchanging
        /// The store and the log have the same changes.
        case current
        /// The log must become reachable again, or the program must be updated.
        case waiting(reason: String)
    }

    /// The current activity.
    public internal(set) var state: State = .idle
    /// The position of the last entry in the store; nil before it first connected to the log.
    public internal(set) var head: Int64?
    /// The position of the newest known entry of the log.
    public internal(set) var logHead: Int64 = 0
    /// The number of changed rows that the log does not have, when they were last counted.
    public internal(set) var pendingCount = 0
    /// The time of the log's last answer.
    public internal(set) var lastContact: Date?
}

/// The options of a store's synchronization.
///
///     var options = SyncOptions()
///     options.entryAuthor = "phone"
///     let sync = try StoreSync(container, with: log, options: options)
public struct SyncOptions: Sendable {
    /// The author in the store's history of the synchronization's own writes. Changes of others have the author of
    /// their entries.
    public var author = "sync"
    /// The author of this store's changes for others; nil for none.
    public var entryAuthor: String?
    /// The size in bytes from which a value is sent separately from the entries. It defaults to 65,536.
    public var largeValueThreshold = 65_536
    /// The number of numbers for new objects that are reserved from the log at once.
    public var leaseCount: Int64 = 1 << 24
    /// The number of entries that are read and applied at once. It defaults to 500.
    public var batchCount = 500
    /// The number of attempts to bring the log to a newer version of the model while others append to it. It defaults
    /// to 20.
    ///
    /// After them, ``SyncError/overtaken(attempts:)`` is thrown.
    public var stepAttempts = 20
    /// The time that ``StoreSync/run()`` waits for new entries in one request. It defaults to 50 seconds.
    public var longestWait: Duration = .seconds(50)
    /// The shortest and the longest delay before ``StoreSync/run()`` retries. It defaults to 200 milliseconds and 60
    /// seconds.
    public var retryDelay: ClosedRange<Duration> = .milliseconds(200) ... .seconds(60)
    /// A closure that resolves concurrent changes of a property; nil leaves it to the model's rule.
    ///
    /// It must not use the store, and must return the same result for the same conflict.
    ///
    ///     var options = SyncOptions()
    ///     options.resolvingConflicts = { conflict in conflict.property == "title" ? conflict.mine : nil }
    public var resolvingConflicts: (@Sendable (SyncConflict) -> SQLiteValue?)?
    /// A closure that resolves concurrent changes of a composite; nil leaves it to the model's rule.
    ///
    /// The rule takes all parts from one side. The closure must not use the store, and must return the same result for
    /// the same conflict.
    public var resolvingCompositeConflicts: (@Sendable (SyncCompositeConflict) -> SyncCompositeConflict.Elements?)?

    /// Creates the default options.
    public init() {}
}
