/// The objects whose ``ManagedObjectLifecycle`` methods are called, and the moments of the calls.
struct LifecycleHooks {
    /// Whether any class of the model has hooks.
    let areUsed: Bool
    /// The objects from rows whose callback is pending.
    private var awaking: [ManagedObject] = []
    /// The objects whose deletion callback is running.
    private var preparingDeletion: Set<ObjectIdentifier> = []
    /// The bits of the columns that objects set without notifications while their callbacks before a save run; nil at
    /// other times.
    private var settlingPrimitives: [ObjectIdentifier: UInt64]?

    init(_ model: ModelDescription) { areUsed = model.hasLifecycle }

    /// Whether callbacks of objects from rows are pending.
    @inline(__always)
    var areWaiting: Bool { awaking.count != 0 }

    /// Records that the callback of an object from a row is due once the read ends.
    @inline(__always)
    mutating func noteFetch(of object: ManagedObject) {
        if areUsed, object.entity.hasLifecycle { awaking.append(object) }
    }

    /// Returns the objects from rows whose callback is pending, and clears the list.
    mutating func takeAwaking() -> [ManagedObject] {
        let objects = awaking
        awaking = []
        return objects
    }

    /// Records that the deletion callback of an object begins. Returns false if it is already running.
    mutating func beginPreparingDeletion(of object: ManagedObject) -> Bool {
        preparingDeletion.insert(ObjectIdentifier(object)).inserted
    }

    mutating func endPreparingDeletion(of object: ManagedObject) {
        preparingDeletion.remove(ObjectIdentifier(object))
    }

    // MARK: Primitive values set before a save

    mutating func beginSettling() { settlingPrimitives = [:] }

    mutating func endSettling() { settlingPrimitives = nil }

    /// Records columns that an object set without notifications, if callbacks before a save are running.
    mutating func noteSettling(_ object: ManagedObject, _ bits: UInt64) {
        settlingPrimitives?[ObjectIdentifier(object), default: 0] |= bits
    }

    /// The bits of the columns that an object set without notifications.
    func settledPrimitives(of object: ManagedObject) -> UInt64 { settlingPrimitives?[ObjectIdentifier(object)] ?? 0 }
}
