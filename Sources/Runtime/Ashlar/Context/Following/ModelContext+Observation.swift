public import Observation

/// Reporting reads and changes of properties to the Observation library, for SwiftUI and other users.
extension ModelContext {
    /// Whether the properties of the context's objects can be observed with `withObservationTracking`.
    ///
    /// It is true for ``ModelContainer/mainContext`` and defaults to false for other contexts. While it is true, each
    /// read is reported to the Observation library. While it is false, a read costs only the test of one byte more.
    ///
    ///     context.isObservable = true
    public var isObservable: Bool {
        get { listeners.observesObjects }
        set {
            listeners.observesObjects = newValue
            registry.visit { $0.record.isObserved = newValue }
        }
    }

    /// A property of an object, as the Observation library identifies it.
    struct ObservedProperty: Hashable {
        enum Kind: Hashable {
            /// A column, by its bit, which all columns from the 64th on share.
            case column(bit: Int)
            /// A relationship without a column.
            case relationship(RelationshipNumber)
            case transient(Int)

            static func column(_ column: Int) -> Kind { .column(bit: min(column, 63)) }
        }

        var object: ObjectIdentifier
        var kind: Kind
    }

    subscript(observed property: ObservedProperty) -> ObservedProperty { property }

    func noteAccess(_ object: ManagedObject, _ kind: ObservedProperty.Kind) {
        listeners.registrar.access(
            self, keyPath: \.[observed: ObservedProperty(object: ObjectIdentifier(object), kind: kind)])
    }

    func noteMutation(_ object: ManagedObject, _ kind: ObservedProperty.Kind) {
        let property = ObservedProperty(object: ObjectIdentifier(object), kind: kind)
        listeners.registrar.willSet(self, keyPath: \.[observed: property])
        listeners.registrar.didSet(self, keyPath: \.[observed: property])
    }

    /// Reports that several columns of an object change.
    func noteMutation(_ object: ManagedObject, columns bits: UInt64) {
        var rest = bits
        while rest != 0 {
            noteMutation(object, .column(bit: rest.trailingZeroBitCount))
            rest &= rest - 1
        }
    }

    /// Reports that all properties of an object changed.
    func noteMutationOfAll(_ object: ManagedObject) {
        guard object.record.isObserved else { return }
        for column in object.entity.ownColumns { noteMutation(object, .column(column)) }
        if object.entity.hasDerivedColumns { noteMutationOfDerived(object) }
        for number in object.entity.relationships.numbers {
            noteMutation(object, .relationship(number))
        }
        for number in type(of: object)._ashlarKeyPaths.transients.indices {
            noteMutation(object, .transient(number))
        }
    }

    /// Reports that derived attributes of an object changed.
    func noteMutationOfDerived(_ object: ManagedObject) {
        guard object.record.isObserved else { return }
        let columns = object.entity.columns
        for column in columns.indices where columns[column].isDerived { noteMutation(object, .column(column)) }
    }

    /// Reports that the members of a relationship without a column changed.
    func noteMutation(_ object: ManagedObject, relationship number: RelationshipNumber) {
        if object.record.isObserved { noteMutation(object, .relationship(number)) }
    }
}

extension ModelContext: Observable {}

extension ManagedObject: Observable {}

extension ManagedObject {
    /// Called before a column is read.
    @inlinable @inline(__always)
    @_spi(Generated) public final func _ashlarAccess(_ column: Int) {
        if record.isObserved { noteAccess(column) }
    }

    /// Reports the read of a property that has no references, and returns its value. A loop over objects thus need not
    /// retain each object for a call that rarely happens.
    @inlinable @inline(__always)
    @_spi(Generated) public final func _ashlarAccess<Value>(_ column: Int, _ value: Value) -> Value {
        if record.isObserved { return noteAccess(column, returning: value) }
        return value
    }

    @usableFromInline
    final func noteAccess(_ column: Int) {
        guard let context = record.context else {
            AccessedColumns.current?.add(column)
            return
        }
        context.noteAccess(self, .column(column))
    }

    @usableFromInline @inline(never)
    final func noteAccess<Value>(_ column: Int, returning value: Value) -> Value {
        noteAccess(column)
        return value
    }

    /// Called before a to-one relationship is read.
    final func noteAccess(toOne number: RelationshipNumber) {
        guard record.isObserved else { return }
        if case .column(let column) = entity.relationships[number].storage {
            noteAccess(column)
        } else {
            noteAccess(relationship: number)
        }
    }

    /// Called before a relationship without a column is read.
    final func noteAccess(relationship number: RelationshipNumber) {
        if record.isObserved { record.context?.noteAccess(self, .relationship(number)) }
    }
}
