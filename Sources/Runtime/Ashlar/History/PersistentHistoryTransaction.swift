public import SystemFoundation

/// A transaction of a store's history: a save, a batch operation, or a change by another program.
///
///     for transaction in try container.fetchHistory(.fetchHistory(after: token)) {
///         print(transaction.timestamp, transaction.author ?? "unknown", transaction.changes.count)
///     }
///
/// A program that writes to the file only with SQLite has no author, context, bundle or process. The time is then that
/// at which Ashlar found its changes, and several consecutive transactions may be combined. Core Data's counterpart is
/// `NSPersistentHistoryTransaction`.
public struct PersistentHistoryTransaction: Sendable, Hashable, Identifiable {
    /// The number of the transaction, which increases with gaps.
    public var transactionNumber: Int64
    /// The UUID of the store.
    public var storeID: String
    /// The time of the commit, by the clock of its machine.
    public var timestamp: Date
    /// The ``ModelContext/author`` of the context.
    public var author: String?
    /// The ``ModelContext/name`` of the context.
    public var contextName: String?
    /// The identifier of the program's bundle, or the name of its process if it has none.
    public var bundleID: String?
    /// The number of the process in its system, as text.
    public var processID: String?
    /// One change for each object, in the order of the first changes; empty if changes were not requested.
    public var changes: [PersistentHistoryChange] = []

    /// The number of the transaction, the same as ``transactionNumber``.
    public var id: Int64 { transactionNumber }

    /// The place after this transaction.
    ///
    /// With several stores, it also contains the progress in the others, as far as they were fetched before this
    /// transaction.
    public var token: PersistentHistoryToken
}

/// The change of one object in a transaction. Core Data's counterpart is `NSPersistentHistoryChange`.
///
///     for change in transaction.changes where change.changeType == .update {
///         print(change.changedObjectID, change.updatedProperties)
///     }
public struct PersistentHistoryChange: Sendable, Hashable {
    /// The kind of a change. The raw values are those of Core Data.
    public enum ChangeType: Int, Sendable, Hashable, CaseIterable {
        /// The object was inserted, and perhaps changed in the same transaction.
        case insert = 0
        /// The object was changed; see ``PersistentHistoryChange/updatedProperties``.
        case update = 1
        /// The object was deleted; ``PersistentHistoryChange/tombstone`` has the preserved values.
        case delete = 2
    }

    /// The number of the change in its store; the first if the transaction changed the object several times.
    public var changeID: Int64
    /// The number of the transaction.
    public var transactionNumber: Int64
    /// The kind of the change.
    public var changeType: ChangeType
    /// The object, which may have been deleted since.
    public var changedObjectID: PersistentIdentifier
    /// The names of the properties that an update changed; empty for insertions and deletions.
    ///
    /// Changes to a to-one relationship are recorded on the object whose row holds the reference. Changes to a
    /// many-to-many relationship are recorded on both objects. Changes to a to-many relationship are recorded only on
    /// the object that holds the reference, and so are those of a one-to-one relationship. A property that the model no
    /// longer has is named by its column.
    public var updatedProperties: Set<String>
    /// The preserved values of a deleted object; nil for other changes.
    ///
    /// The model marks the attributes with "Preserve After Deletion".
    public var tombstone: PersistentHistoryTombstone?
}
