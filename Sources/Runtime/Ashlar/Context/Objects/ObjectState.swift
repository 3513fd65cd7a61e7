/// The parts of an object that a merge policy may change, to restore them.
struct ObjectState {
    let object: ManagedObject
    private let values: ValuesBox
    private let record: ManagedObject.Record
    private let identifiers: [PersistentIdentifier?]

    init(_ object: ManagedObject) {
        self.object = object
        // What follows changes values without notice.
        _ = object.original
        values = object.snapshot()
        record = object.record
        identifiers = object.entity.referenceColumns.map { object.identifier(inColumn: $0) }
    }

    /// Returns the value of a foreign key column.
    func identifier(_ column: Int) -> PersistentIdentifier? {
        object.entity.referenceColumns.firstIndex(of: column).flatMap { identifiers[$0] }
    }

    /// The bits of the columns in which the object has other values now; all where some are derived.
    var changedColumns: UInt64 {
        object.entity.hasDerivedColumns ? .max : object.changes(since: values, in: .max)
    }

    func restore() {
        object.restore(values)
        // Members that were loaded since are loaded again; those whose order was set were loaded before the save began.
        object.record = record
    }
}
