public import Foundation

/// An error of a store that cannot follow its log. The store was not changed.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum SyncError: Error, Sendable, Hashable {
    /// The store is in memory, so neither other programs nor a later start could continue.
    case storeInMemory
    /// The store's records about its log cannot be read.
    case damaged
    /// The store has objects whose numbers the log may give to others.
    case identifiersOutOfRange(entity: String, Int64)
    /// The log has entries of a newer version of the model, whose hash is given. Update the program.
    case newerModelVersion(String)
    /// The log has an older version of the model, and the store's token does not permit to bring it to the store's
    /// version, whose hash is given. ``StoreSync/run()`` waits until another store does.
    case olderModelVersion(String)
    /// Others appended to the log at each of several attempts to bring it to the model's newer version.
    ///
    /// ``StoreSync/run()`` retries later.
    case overtaken(attempts: Int)
    /// The log has objects of another model, whose version has the given hash: none of its tables is one of the
    /// store's.
    case otherModel(String)
    /// A large value of another store could not be written to a file beside the store. ``StoreSync/run()`` retries
    /// later.
    case unwritableFile(URL, reason: String)
    /// The log was put back to an older state, so that it lacks entries that this store has, after the given position
    /// at the latest.
    ///
    /// The store exchanges nothing until ``StoreSync/rejoin()``.
    case logPutBack(position: Int64)
    /// An object cannot be made again from an event, for the given reason.
    case cannotRestore(reason: String)
    /// The store has other rows at a position than the entries of the log make, so that it made no snapshot.
    ///
    /// Another program may have changed the store's file. A new store has the rows of the log.
    case otherRows(position: Int64)
    /// A snapshot of the log is not usable, for the given reason.
    case badSnapshot(UUID, reason: String)
}

extension SyncError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .storeInMemory: "A store in memory cannot follow a log. Give the store a file."
        case .damaged:
            "The store's record of its log cannot be read. Copy the data that you need, and begin with a new store."
        case .identifiersOutOfRange(let entity, let number):
            "The store has an object of \(entity) with the number \(number), which the log may give to another store. Begin the "
                + "log with a store whose numbers are below \(SyncIdentifiers.firstLeased)."
        case .newerModelVersion(let hash):
            "The log goes on with a newer version of the model (\(hash)). Update the program: changes saved here are kept, "
                + "and sent then."
        case .olderModelVersion(let hash):
            "The log has an older version of the model than this program (\(hash)), and the token does not permit to change "
                + "it. Synchronize a store of the new version with a token to administer. Saves of this store are sent then."
        case .overtaken(let attempts):
            "Others appended to the log \(attempts) times while it was being brought to the model's newer version. Try it again "
                + "when they are less busy: changes saved here are kept."
        case .otherModel(let hash):
            "The log has objects of another model (version \(hash)). Give the store another log."
        case .unwritableFile(let file, let reason):
            "The file \(file.path) for a large value cannot be written: \(reason). Look at the free space and at the permissions of "
                + "the folder."
        case .logPutBack(let position):
            "The log was put back to an older state: it lacks entries that this store has, after \(position) at the latest. "
                + "Call rejoin() to put the lost changes on again."
        case .cannotRestore(let reason): "The object cannot be made again: \(reason)."
        case .otherRows(let position):
            "The store has other rows than the entries of the log up to \(position) make, so that it made no snapshot. "
                + "Begin with a new store: this one is damaged."
        case .badSnapshot(let id, let reason): "The log's snapshot \(id) cannot be used: \(reason)."
        }
    }
}
