public import SystemFoundation

/// What one transaction changed in a store: a save, a batch operation, or what another program did.
///
/// Of a program that writes to the file with SQLite alone there is no author, context, bundle or process, and the time is
/// that at which Ashlar found its changes. Several transactions of such programs that follow one another may be told as
/// one, but none as two. Core Data's `NSPersistentHistoryTransaction`.
public struct PersistentHistoryTransaction: Sendable, Hashable, Identifiable {
    /// The number of the transaction, which grows with each one, with gaps.
    public var transactionNumber: Int64
    /// The UUID of the store.
    public var storeID: String
    /// When the transaction was committed, by the clock of the machine that did.
    public var timestamp: Date
    /// The ``ModelContext/author`` of the context.
    public var author: String?
    /// The ``ModelContext/name`` of the context.
    public var contextName: String?
    /// The identifier of the program's bundle, or the name of its process where it has none.
    public var bundleID: String?
    /// The number of the process in its system, as text.
    public var processID: String?
    /// One change for each object, in the order in which objects were first changed; empty where changes were not asked
    /// for.
    public var changes: [PersistentHistoryChange] = []

    /// The number again.
    public var id: Int64 { transactionNumber }

    /// The place after this transaction. Of a container with several stores it says also how far the transactions went
    /// that were fetched from the others before this one.
    public var token: PersistentHistoryToken
}

/// What a transaction did to one object. Core Data's `NSPersistentHistoryChange`.
public struct PersistentHistoryChange: Sendable, Hashable {
    /// What became of the object. The numbers are Core Data's.
    public enum ChangeType: Int, Sendable, Hashable, CaseIterable {
        /// The object was inserted, and perhaps changed in the same transaction.
        case insert = 0
        /// The object was changed; ``PersistentHistoryChange/updatedProperties`` says where.
        case update = 1
        /// The object was deleted; ``PersistentHistoryChange/tombstone`` has what is kept of it.
        case delete = 2
    }

    /// The number of the change in its store. Of several changes of an object in one transaction it is the first's.
    public var changeID: Int64
    /// The number of the transaction.
    public var transactionNumber: Int64
    /// What became of the object.
    public var changeType: ChangeType
    /// The object, which may have been deleted since.
    public var changedObjectID: PersistentIdentifier
    /// The names of the properties that an update changed; empty for insertions and deletions.
    ///
    /// A to-one relationship is told of the object whose row has it. A relationship that is stored as pairs is told of
    /// both objects; a to-many relationship whose inverse is to-one, and the side without a column of a one-to-one
    /// relationship, of neither: ask for the inverse. A property that the model lost since has the name of its column.
    public var updatedProperties: Set<String>
    /// What a deleted object's properties held that the model marks with "Preserve After Deletion"; nil unless the
    /// object was deleted.
    public var tombstone: PersistentHistoryTombstone?
}
