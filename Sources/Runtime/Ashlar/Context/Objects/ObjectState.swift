/// The parts of an object that a merge policy may change, to restore them.
struct ObjectState {
    let object: ManagedObject
    private let values: ValuesBox
    private let record: ManagedObject.Record
    private let identifiers: [PersistentIdentifier?]

    init(_ object: ManagedObject) {
        self.object = object
        // The original values are kept completely, because later changes are made without notifications.
        _ = object.original
        values = object.snapshot()
        record = object.record
        identifiers = object.entity.referenceColumns.map { object.identifier(inColumn: $0) }
    }

    /// Returns the value of a foreign key column.
    func identifier(_ column: Int) -> PersistentIdentifier? {
        object.entity.referenceColumns.firstIndex(of: column).flatMap { identifiers[$0] }
    }

    /// The bits of the columns whose values have changed since; all if some are derived.
    var changedColumns: UInt64 {
        object.entity.hasDerivedColumns ? .max : object.changes(since: values, in: .max)
    }

    func restore() {
        object.restore(values)
        // Members that were loaded since are loaded again. Relationships with a changed order were loaded before the
        // save began.
        object.record = record
    }
}
