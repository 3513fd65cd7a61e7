public import Observation

/// Telling SwiftUI, and anyone else who uses Observation, of properties that change.
extension ModelContext {
    /// Whether properties of the context's objects can be observed with `withObservationTracking`.
    ///
    /// True for ``ModelContainer/mainContext``. False at first for any other, where a property then costs nothing more
    /// than a test of one byte; while it is true, each reading is reported to the Observation library.
    public var isObservable: Bool {
        get { listeners.observesObjects }
        set {
            listeners.observesObjects = newValue
            registry.visit { $0.record.isObserved = newValue }
        }
    }

    /// One property of one object, as Observation knows it.
    struct ObservedProperty: Hashable {
        var object: ObjectIdentifier
        /// The column; relationships without one count on after ``firstRelationship``.
        var number: Int

        static let firstRelationship = 1 << 16
        /// Transient attributes count on after this.
        static let firstTransient = 1 << 17
    }

    subscript(observed property: ObservedProperty) -> Int { property.number }

    func noteAccess(_ object: ManagedObject, _ number: Int) {
        listeners.registrar.access(
            self, keyPath: \.[observed: ObservedProperty(object: ObjectIdentifier(object), number: number)])
    }

    func noteMutation(_ object: ManagedObject, _ number: Int) {
        let property = ObservedProperty(object: ObjectIdentifier(object), number: number)
        listeners.registrar.willSet(self, keyPath: \.[observed: property])
        listeners.registrar.didSet(self, keyPath: \.[observed: property])
    }

    /// The columns of several bits change.
    func noteMutation(_ object: ManagedObject, columns bits: UInt64) {
        var rest = bits
        while rest != 0 {
            noteMutation(object, rest.trailingZeroBitCount)
            rest &= rest - 1
        }
    }

    /// All properties of an object are others than before.
    func noteMutationOfAll(_ object: ManagedObject) {
        guard object.record.isObserved else { return }
        for column in object.entity.ownColumns { noteMutation(object, min(column, 63)) }
        if object.entity.hasDerivedColumns { noteMutationOfDerived(object) }
        for number in object.entity.relationships.indices {
            noteMutation(object, ObservedProperty.firstRelationship + number)
        }
        for number in type(of: object)._ashlarKeyPaths.transients.indices {
            noteMutation(object, ObservedProperty.firstTransient + number)
        }
    }

    /// Derived attributes have other values than before.
    func noteMutationOfDerived(_ object: ManagedObject) {
        guard object.record.isObserved else { return }
        let columns = object.entity.columns
        for column in columns.indices where columns[column].isDerived { noteMutation(object, min(column, 63)) }
    }

    /// A relationship without a column has other members than before.
    func noteMutation(_ object: ManagedObject, relationship number: Int) {
        if object.record.isObserved { noteMutation(object, ObservedProperty.firstRelationship + number) }
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

    /// Called with the value of a property that has no references; it returns the value, so that a loop over objects need
    /// not hold each of them for a call that is hardly ever made.
    @inlinable @inline(__always)
    @_spi(Generated) public final func _ashlarAccess<Value>(_ column: Int, _ value: Value) -> Value {
        if record.isObserved { return noteAccess(column, returning: value) }
        return value
    }

    @usableFromInline
    final func noteAccess(_ column: Int) {
        record.context?.noteAccess(self, column)
    }

    @usableFromInline @inline(never)
    final func noteAccess<Value>(_ column: Int, returning value: Value) -> Value {
        noteAccess(column)
        return value
    }

    /// Called before a to-one relationship is read.
    final func noteAccess(toOne number: Int) {
        guard record.isObserved else { return }
        if case .column(let column) = entity.relationships[number].storage {
            noteAccess(min(column, 63))
        } else {
            noteAccess(relationship: number)
        }
    }

    /// Called before a relationship without a column is read.
    final func noteAccess(relationship number: Int) {
        if record.isObserved { noteAccess(ModelContext.ObservedProperty.firstRelationship + number) }
    }
}
