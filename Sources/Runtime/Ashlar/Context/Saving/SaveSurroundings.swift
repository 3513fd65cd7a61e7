import AshlarSQLite

/// What a save stands on: the parts of a context that say what to write, and what it asks of the context beside them.
struct SaveSurroundings {
    let container: ModelContainer
    /// What is to be written.
    let pending: PendingChanges
    /// The objects that there are.
    let registry: ObjectRegistry
    /// The errors that the next throwing call throws.
    let errors: DeferredErrors
    /// The objects around those that are to be written.
    let graph: any ObjectGraph
    /// What settles conflicts with others.
    let conflicts: any ConflictSettling
    /// What leads to the store.
    let store: any StoreWriting
    /// Whether a parent context takes the changes, rather than the store.
    let isForParent: Bool
}

/// Objects and how they hang together, loaded where they are not there yet.
protocol ObjectGraph: AnyObject {
    /// The object of an identifier; nil where there is none, or it is deleted.
    func existingObject(_ identifier: PersistentIdentifier) throws -> ManagedObject?
    /// The object that a to-one relationship leads to.
    func toOne(_ object: ManagedObject, _ number: RelationshipNumber) -> ManagedObject?
    /// The rowids of a relationship's members.
    func members(of object: ManagedObject, _ number: RelationshipNumber) -> [Int64]
    /// The rowids of a relationship's members without those that are deleted.
    func livingMembers(of object: ManagedObject, _ number: RelationshipNumber) -> [Int64]
    /// The relationship of a deleted object that denies its deletion.
    func denyingRelationship(of object: ManagedObject) -> RelationshipDescription?
    /// Takes an identifier back that was obtained for an object which is not to be inserted after all.
    func giveUpPermanentIdentifier(of object: ManagedObject)
}

/// What decides between an object and its row where others wrote the row, and makes the mixture of the two.
protocol ConflictSettling: AnyObject {
    /// What becomes of changes that were made at the same time.
    var mergePolicy: MergePolicy { get }
    /// Whether the context takes over what others save.
    var automaticallyMergesChangesFromParent: Bool { get }
    /// A copy of a stored row, in which the given columns hold the values of objects, or given values; nil when there is no
    /// such row.
    func storedCopy(
        of rowID: Int64, like object: ManagedObject, keeping columns: [Int: ManagedObject], values: [Int: SQLiteValue]
    ) throws -> ManagedObject?
    /// The columns that an object and its row changed since the context read it.
    func changedColumns(
        of object: ManagedObject, since original: ManagedObject?, _ stored: ManagedObject
    ) throws -> ChangedColumns
    /// The conflict of an object with its row, which is nil when it was deleted.
    func conflict(
        _ object: ManagedObject, _ stored: ManagedObject?, _ original: ManagedObject?
    ) throws -> MergeConflict
    /// A copy of an object with the values that the context read.
    func originalCopy(of object: ManagedObject) -> ManagedObject
    /// A copy of an object with the values that objects have in the given columns.
    func composedCopy(like object: ManagedObject, _ columns: [Int: ManagedObject]) throws -> ManagedObject
    /// A copy of an object with its present values.
    func copy(of object: ManagedObject) -> ManagedObject
    /// The columns of an object whose values differ from those of another object of the same class.
    func columns(of object: ManagedObject, changedSince other: ManagedObject?) throws -> Set<Int>
    /// What the store would hold of a column's value.
    func storedValue(_ column: Int, of object: ManagedObject) throws -> SQLiteValue
    /// The row that has an object's values in the columns of a uniqueness constraint.
    func row(with columns: [Int], of object: ManagedObject) throws -> Int64?
    /// Columns of an object, with those of composites that are nil in the stored row.
    func completing(_ columns: Set<Int>, of object: ManagedObject, against stored: ManagedObject) -> Set<Int>
}

extension ConflictSettling {
    /// A copy of a stored row, in which the given columns hold the values of objects; nil when there is no such row.
    func storedCopy(
        of rowID: Int64, like object: ManagedObject, keeping columns: [Int: ManagedObject] = [:]
    ) throws -> ManagedObject? {
        try storedCopy(of: rowID, like: object, keeping: columns, values: [:])
    }
}

/// A way to the store for who writes.
protocol StoreWriting: AnyObject {
    /// The transaction that a save is to be part of; nil where it has one of its own.
    var currentTransaction: ContextTransaction? { get }
    /// Whom the history names for what is written.
    var historyOrigin: HistoryOrigin { get }
    /// Whether somebody wants to see the values of statements.
    var showsValues: Bool { get }
    /// Lets a closure use the connection that writes, whose statements are counted and told of.
    func writeObserved(_ body: (Connection) throws -> Void) throws
}

extension ModelContext: ObjectGraph, ConflictSettling, StoreWriting {
    /// What a save of this context stands on.
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
