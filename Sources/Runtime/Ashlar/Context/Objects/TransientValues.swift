/// Values of transient attributes: no column has them, but they count as changes, a child's save hands them up, and what
/// discards changes or undoes them takes them back.
struct TransientValues {
    private let attributes: [any TransientAttribute]
    private let values: [Any]

    /// The values that an object has; nil where its class has no transient attributes.
    init?(_ object: ManagedObject) {
        attributes = type(of: object)._ashlarKeyPaths.transients.compactMap { $0 as? any TransientAttribute }
        if attributes.isEmpty { return nil }
        values = attributes.map { $0.value(of: object) }
    }

    /// The values that a new object has.
    init?(defaultsOf object: ManagedObject) {
        if type(of: object)._ashlarKeyPaths.transients.isEmpty { return nil }
        self.init(type(of: object).object(of: object.snapshot()))
    }

    /// Gives an object of the same class the values, as a change of the program's would.
    func assign(to object: ManagedObject) {
        for (attribute, value) in zip(attributes, values) { attribute.set(value, of: object) }
    }

    /// Gives an object of the same class the values, which is no change.
    func restore(to object: ManagedObject) {
        guard let context = object.record.context else { return assign(to: object) }
        context.withoutTransientChanges { assign(to: object) }
    }
}

/// The transient attributes that changed in a context since the last save.
struct TransientChanges {
    /// The values that changed objects had before.
    private var valuesBefore: [ObjectIdentifier: TransientValues] = [:]
    /// Whether transient attributes are being prepared by a hook, or set without a notice: that is no change.
    var areIgnored = false

    init() {}

    /// Whether no transient attribute changed.
    var isEmpty: Bool { valuesBefore.isEmpty }

    /// Returns whether a transient attribute of an object changed.
    func include(_ object: ManagedObject) -> Bool {
        !valuesBefore.isEmpty && valuesBefore[ObjectIdentifier(object)] != nil
    }

    /// Keeps the values of an object that is about to change, the first time.
    mutating func note(_ object: ManagedObject) {
        let identity = ObjectIdentifier(object)
        if valuesBefore[identity] == nil { valuesBefore[identity] = TransientValues(object) }
    }

    /// The values that an object had before; nil where none changed.
    func before(_ object: ManagedObject) -> TransientValues? { valuesBefore[ObjectIdentifier(object)] }

    /// Takes the present values of an object for those that it had before.
    mutating func forget(_ object: ManagedObject) {
        if !valuesBefore.isEmpty { valuesBefore[ObjectIdentifier(object)] = nil }
    }

    mutating func removeAll() { valuesBefore = [:] }
}

extension ModelContext {
    /// Notes that a transient attribute of an object is about to change.
    func noteTransientChange(of object: ManagedObject, _ number: Int) {
        if object.record.isObserved { noteMutation(object, .transient(number)) }
        if transients.areIgnored || !object.isLive(in: self) { return }
        transients.note(object)
        listeners.event?.noteTransients(of: object)
        noteChange(of: object)
    }

    /// Runs a closure in which transient attributes are prepared, as a hook does: that is no change.
    func withoutTransientChanges<Result>(_ body: () throws -> Result) rethrows -> Result {
        let before = transients.areIgnored
        transients.areIgnored = true
        defer { transients.areIgnored = before }
        return try body()
    }

    /// Gives an object the transient values that new ones have.
    func resetTransients(of object: ManagedObject) {
        transients.forget(object)
        TransientValues(defaultsOf: object)?.restore(to: object)
    }
}

/// The key path of a transient attribute, whatever its type is.
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
