import AshlarSQLite

/// The parts of a context that a save uses.
struct SaveSurroundings {
    let container: ModelContainer
    /// The changes to write.
    let pending: PendingChanges
    /// The registered objects.
    let registry: ObjectRegistry
    /// The errors that the next throwing call throws.
    let errors: DeferredErrors
    /// The objects around those to write.
    let graph: any ObjectGraph
    /// The resolution of conflicts with others.
    let conflicts: any ConflictSettling
    /// The connection to the store.
    let store: any StoreWriting
    /// Whether a parent context receives the changes instead of the store.
    let isForParent: Bool
}

/// Objects and their relationships, loaded on demand.
protocol ObjectGraph: AnyObject {
    /// Returns the object of an identifier; nil if it does not exist or is deleted.
    func existingObject(_ identifier: PersistentIdentifier) throws -> ManagedObject?
    /// Returns the destination of a to-one relationship.
    func toOne(_ object: ManagedObject, _ number: RelationshipNumber) -> ManagedObject?
    /// Returns the rowids of a relationship's members.
    func members(of object: ManagedObject, _ number: RelationshipNumber) -> [Int64]
    /// Returns the rowids of a relationship's members, except deleted ones.
    func livingMembers(of object: ManagedObject, _ number: RelationshipNumber) -> [Int64]
    /// Returns the relationship of a deleted object that denies its deletion.
    func denyingRelationship(of object: ManagedObject) -> RelationshipDescription?
    /// Replaces an obtained identifier by a temporary one, because the object is no longer to be inserted.
    func giveUpPermanentIdentifier(of object: ManagedObject)
}

/// The resolution of conflicts between an object and a row that others wrote, which may combine the two.
protocol ConflictSettling: AnyObject {
    /// The policy that resolves conflicts.
    var mergePolicy: MergePolicy { get }
    /// Whether the context automatically merges the saves of others.
    var automaticallyMergesChangesFromParent: Bool { get }
    /// Returns a copy of a stored row, whose given columns have the values of objects, or given values; nil if the row
    /// does not exist.
    func storedCopy(
        of rowID: Int64, like object: ManagedObject, keeping columns: [Int: ManagedObject], values: [Int: SQLiteValue]
    ) throws -> ManagedObject?
    /// Returns the columns that an object and its row changed since the context read it.
    func changedColumns(
        of object: ManagedObject, since original: ManagedObject?, _ stored: ManagedObject
    ) throws -> ChangedColumns
    /// Returns the conflict of an object with its row, which is nil if it was deleted.
    func conflict(
        _ object: ManagedObject, _ stored: ManagedObject?, _ original: ManagedObject?
    ) throws -> MergeConflict
    /// Returns a copy of an object with the values that the context read.
    func originalCopy(of object: ManagedObject) -> ManagedObject
    /// Returns a copy of an object whose given columns have the values of the given objects.
    func composedCopy(like object: ManagedObject, _ columns: [Int: ManagedObject]) throws -> ManagedObject
    /// Returns a copy of an object with its present values.
    func copy(of object: ManagedObject) -> ManagedObject
    /// Returns the columns of an object whose values differ from those of another object of the same class.
    func columns(of object: ManagedObject, changedSince other: ManagedObject?) throws -> Set<Int>
    /// Returns the stored form of a column's value.
    func storedValue(_ column: Int, of object: ManagedObject) throws -> SQLiteValue
    /// Returns the row that has an object's values in the columns of a uniqueness constraint.
    func row(with columns: [Int], of object: ManagedObject) throws -> Int64?
    /// Returns an object's columns, completed by those of composites that are nil in the stored row.
    func completing(_ columns: Set<Int>, of object: ManagedObject, against stored: ManagedObject) -> Set<Int>
}

extension ConflictSettling {
    /// Returns a copy of a stored row, whose given columns have the values of objects; nil if the row does not exist.
    func storedCopy(
        of rowID: Int64, like object: ManagedObject, keeping columns: [Int: ManagedObject] = [:]
    ) throws -> ManagedObject? {
        try storedCopy(of: rowID, like: object, keeping: columns, values: [:])
    }
}

/// Access to the store for writing.
protocol StoreWriting: AnyObject {
    /// The transaction that includes the save; nil if the save has its own.
    var currentTransaction: ContextTransaction? { get }
    /// The origin of the changes in the history.
    var historyOrigin: HistoryOrigin { get }
    /// Whether an observer logs the values of statements.
    var showsValues: Bool { get }
    /// Runs a closure with the connection that writes, counts its statements, and notifies the observer.
    func writeObserved(_ body: (Connection) throws -> Void) throws
}

extension ModelContext: ObjectGraph, ConflictSettling, StoreWriting {
    /// The parts of this context that a save uses.
    var saveSurroundings: SaveSurroundings {
        SaveSurroundings(
            container: container, pending: pending, registry: registry, errors: errors, graph: self, conflicts: self,
            store: self, isForParent: parent != nil)
    }

    var showsValues: Bool { reading.tracingObserver.map { $0.level >= .values } ?? false }

    func writeObserved(_ body: (Connection) throws -> Void) throws {
        try write { connection in try observing(connection) { try body(connection) } }
    }
}
