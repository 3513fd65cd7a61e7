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

extension ModelContext {
    /// Notes that a transient attribute of an object is about to change.
    func noteTransientChange(of object: ManagedObject, _ number: Int) {
        if object.record.isObserved { noteMutation(object, ObservedProperty.firstTransient + number) }
        if ignoresTransientChanges || object.liveContext !== self { return }
        let identity = ObjectIdentifier(object)
        if transientsBefore[identity] == nil { transientsBefore[identity] = TransientValues(object) }
        event?.noteTransients(of: object)
        noteChange(of: object)
    }

    /// Runs a closure in which transient attributes are prepared, as a hook does: that is no change.
    func withoutTransientChanges<Result>(_ body: () throws -> Result) rethrows -> Result {
        let before = ignoresTransientChanges
        ignoresTransientChanges = true
        defer { ignoresTransientChanges = before }
        return try body()
    }

    /// Gives an object the transient values that new ones have.
    func resetTransients(of object: ManagedObject) {
        transientsBefore[ObjectIdentifier(object)] = nil
        TransientValues(defaultsOf: object)?.restore(to: object)
    }
}

extension PendingSave {
    /// Gives the parent's objects the transient values that changed here.
    func pushTransients(_ pairs: [(object: ManagedObject, other: ManagedObject)], to parent: ModelContext) throws {
        for (object, other) in pairs where object.record.state == .inserted || hasTransientChanges(object) {
            TransientValues(object)?.assign(to: other)
        }
        for object in touched where hasTransientChanges(object) {
            guard let other = try context.parentObject(object.identifier, parent) else { continue }
            TransientValues(object)?.assign(to: other)
        }
    }

    private func hasTransientChanges(_ object: ManagedObject) -> Bool {
        context.transientsBefore[ObjectIdentifier(object)] != nil
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
    public final func _ashlarAccess(transient number: Int) {
        if record.isObserved { noteAccess(transient: number) }
    }

    @usableFromInline
    final func noteAccess(transient number: Int) {
        record.context?.noteAccess(self, ModelContext.ObservedProperty.firstTransient + number)
    }

    /// Called before a transient attribute changes, by its number; generated code calls it.
    public final func _ashlarWillChange(transient number: Int) {
        record.context?.noteTransientChange(of: self, number)
    }
}
