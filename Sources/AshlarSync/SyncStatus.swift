public import Ashlar
public import Foundation

/// How far a store is in following its log.
public struct SyncStatus: Sendable, Hashable {
    /// What goes on.
    public enum State: Sendable, Hashable {
        /// Nothing: nobody called ``StoreSync/run()`` or ``StoreSync/synchronize()``, or the last call ended.
        case idle
        /// Changes are being read or sent.
        case exchanging
        /// The store has all that the log has, and the other way round.
        case current
        /// Something has to happen first: the log has to be reachable again, or the program needs an update.
        case waiting(reason: String)
    }

    /// What goes on.
    public internal(set) var state: State = .idle
    /// The position of the last entry that is in the store; nil before it met the log.
    public internal(set) var head: Int64?
    /// The position of the newest entry that the log was seen to have.
    public internal(set) var logHead: Int64 = 0
    /// How many rows were changed here that the log does not have, when that was last counted.
    public internal(set) var pendingCount = 0
    /// When the log last answered.
    public internal(set) var lastContact: Date?
}

/// How a store follows its log.
public struct SyncOptions: Sendable {
    /// The author that the store's history names for what this store itself does to follow the log. What others changed
    /// has the author that they told.
    public var author = "sync"
    /// The author that others are told for what is saved here; nil for none.
    public var entryAuthor: String?
    /// The number of bytes from which on a value travels by its hash beside the entries.
    public var largeValueThreshold = 65_536
    /// How many numbers for new objects are taken from the log at once.
    public var leaseCount: Int64 = 1 << 24
    /// How many entries are read and made a part of the store at once.
    public var batchCount = 500
    /// How often a store that brings the log to a newer version of the model begins anew because others append something meanwhile,
    /// before it gives up with ``SyncError/overtaken(attempts:)``.
    public var stepAttempts = 20
    /// How long ``StoreSync/run()`` waits for an answer of the log that has nothing new.
    public var longestWait: Duration = .seconds(50)
    /// How long ``StoreSync/run()`` waits before it tries again what failed: the first time, and at most.
    public var retryDelay: ClosedRange<Duration> = .milliseconds(200) ... .seconds(60)
    /// Says what becomes of a property that was changed here and elsewhere; nil leaves it to the model's rule. It must not
    /// use the store, and say the same whenever it is asked the same.
    public var resolvingConflicts: (@Sendable (SyncConflict) -> SQLiteValue?)?
    /// Says what becomes of a composite that was changed here and elsewhere; nil leaves it to the model's rule, by which all elements are
    /// those of one side. It must not use the store, and say the same whenever it is asked the same.
    public var resolvingCompositeConflicts: (@Sendable (SyncCompositeConflict) -> SyncCompositeConflict.Elements?)?

    /// The usual way.
    public init() {}
}
