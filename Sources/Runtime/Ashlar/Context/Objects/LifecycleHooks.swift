/// The objects whose ``ManagedObjectLifecycle`` methods are called, and the moments of the calls.
struct LifecycleHooks {
    /// Whether any class of the model has hooks.
    let areUsed: Bool
    /// The objects from rows whose callback is still pending.
    private var awaking: [ManagedObject] = []
    /// The objects whose deletion callback is running.
    private var preparingDeletion: Set<ObjectIdentifier> = []
    /// The bits of the columns that objects set without a notice while they were asked what they change before a save; nil
    /// at other times.
    private var settlingPrimitives: [ObjectIdentifier: UInt64]?

    init(_ model: ModelDescription) { areUsed = model.hasLifecycle }

    /// Whether callbacks of objects from rows are pending.
    @inline(__always)
    var areWaiting: Bool { awaking.count != 0 }

    /// Notes that the callback of an object from a row must follow once the read is done.
    @inline(__always)
    mutating func noteFetch(of object: ManagedObject) {
        if areUsed, object.entity.hasLifecycle { awaking.append(object) }
    }

    /// Returns the objects from rows whose callback is pending.
    mutating func takeAwaking() -> [ManagedObject] {
        let objects = awaking
        awaking = []
        return objects
    }

    /// Notes that the deletion callback of an object begins. Returns false if it is already running.
    mutating func beginPreparingDeletion(of object: ManagedObject) -> Bool {
        preparingDeletion.insert(ObjectIdentifier(object)).inserted
    }

    mutating func endPreparingDeletion(of object: ManagedObject) {
        preparingDeletion.remove(ObjectIdentifier(object))
    }

    // MARK: What objects set without a notice before a save

    mutating func beginSettling() { settlingPrimitives = [:] }

    mutating func endSettling() { settlingPrimitives = nil }

    /// Notes what an object set without a notice, if that is while it is asked what it changes before a save.
    mutating func noteSettling(_ object: ManagedObject, _ bits: UInt64) {
        settlingPrimitives?[ObjectIdentifier(object), default: 0] |= bits
    }

    /// The bits of what an object set without a notice.
    func settledPrimitives(of object: ManagedObject) -> UInt64 { settlingPrimitives?[ObjectIdentifier(object)] ?? 0 }
}
