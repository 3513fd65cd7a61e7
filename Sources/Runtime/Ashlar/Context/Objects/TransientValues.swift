/// The values of an object's transient attributes. They have no columns, but their changes count as changes. The save
/// of a child context passes them to its parent, and undo and rollback revert them.
struct TransientValues {
    private let attributes: [any TransientAttribute]
    private let values: [Any]

    /// Copies the values of an object; nil if its class has no transient attributes.
    init?(_ object: ManagedObject) {
        attributes = type(of: object)._ashlarKeyPaths.transients.compactMap { $0 as? any TransientAttribute }
        if attributes.isEmpty { return nil }
        values = attributes.map { $0.value(of: object) }
    }

    /// Copies the values of a new object of the same class.
    init?(defaultsOf object: ManagedObject) {
        if type(of: object)._ashlarKeyPaths.transients.isEmpty { return nil }
        self.init(type(of: object).object(of: object.snapshot()))
    }

    /// Sets the values of an object of the same class, as a change by the program would.
    func assign(to object: ManagedObject) {
        for (attribute, value) in zip(attributes, values) { attribute.set(value, of: object) }
    }

    /// Sets the values of an object of the same class, without recording a change.
    func restore(to object: ManagedObject) {
        guard let context = object.record.context else { return assign(to: object) }
        context.withoutTransientChanges { assign(to: object) }
    }
}

/// The transient attributes that changed in a context since the last save.
struct TransientChanges {
    /// The earlier values of changed objects.
    private var valuesBefore: [ObjectIdentifier: TransientValues] = [:]
    /// Whether changes of transient attributes are ignored, because a callback prepares them or they are set without
    /// notifications.
    var areIgnored = false

    init() {}

    /// Whether no transient attribute changed.
    var isEmpty: Bool { valuesBefore.isEmpty }

    /// Returns whether a transient attribute of an object changed.
    func include(_ object: ManagedObject) -> Bool {
        !valuesBefore.isEmpty && valuesBefore[ObjectIdentifier(object)] != nil
    }

    /// Keeps the values of an object before its first change.
    mutating func note(_ object: ManagedObject) {
        let identity = ObjectIdentifier(object)
        if valuesBefore[identity] == nil { valuesBefore[identity] = TransientValues(object) }
    }

    /// The earlier values of an object; nil if none changed.
    func before(_ object: ManagedObject) -> TransientValues? { valuesBefore[ObjectIdentifier(object)] }

    /// Forgets the earlier values of an object.
    mutating func forget(_ object: ManagedObject) {
        if !valuesBefore.isEmpty { valuesBefore[ObjectIdentifier(object)] = nil }
    }

    mutating func removeAll() { valuesBefore = [:] }
}

extension ModelContext {
    /// Records that a transient attribute of an object is about to change.
    func noteTransientChange(of object: ManagedObject, _ number: Int) {
        if object.record.isObserved { noteMutation(object, .transient(number)) }
        if transients.areIgnored || !object.isLive(in: self) { return }
        transients.note(object)
        listeners.event?.noteTransients(of: object)
        noteChange(of: object)
    }

    /// Runs a closure that prepares transient attributes, as a callback does, without recording changes.
    func withoutTransientChanges<Result>(_ body: () throws -> Result) rethrows -> Result {
        let before = transients.areIgnored
        transients.areIgnored = true
        defer { transients.areIgnored = before }
        return try body()
    }

    /// Sets an object's transient attributes to their defaults.
    func resetTransients(of object: ManagedObject) {
        transients.forget(object)
        TransientValues(defaultsOf: object)?.restore(to: object)
    }
}

/// A key path of a transient attribute of any type.
private protocol TransientAttribute {
    func value(of object: ManagedObject) -> Any
    func set(_ value: Any, of object: ManagedObject)
}

extension ReferenceWritableKeyPath: TransientAttribute where Root: ManagedObject {
    fileprivate func value(of object: ManagedObject) -> Any {
        guard let object = object as? Root else { return () }
        return object[keyPath: self]
    }

    fileprivate func set(_ value: Any, of object: ManagedObject) {
        guard let object = object as? Root, let value = value as? Value else { return }
        object[keyPath: self] = value
    }
}

extension ManagedObject {
    /// Called before a transient attribute is read, by its number; generated code calls it.
    @inlinable @inline(__always)
    @_spi(Generated) public final func _ashlarAccess(transient number: Int) {
        if record.isObserved { noteAccess(transient: number) }
    }

    @usableFromInline
    final func noteAccess(transient number: Int) {
        record.context?.noteAccess(self, .transient(number))
    }

    /// Called before a transient attribute changes, by its number; generated code calls it.
    @_spi(Generated) public final func _ashlarWillChange(transient number: Int) {
        record.context?.noteTransientChange(of: self, number)
    }
}
