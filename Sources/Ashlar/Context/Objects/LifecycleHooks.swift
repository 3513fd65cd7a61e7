/// Which objects are told of their life by ``ManagedObjectLifecycle``, and when.
struct LifecycleHooks {
    /// Whether any class of the model has hooks.
    let areUsed: Bool
    /// Objects that were made of rows and are yet to be told so.
    private var awaking: [ManagedObject] = []
    /// The objects that are told of their deletion.
    private var preparingDeletion: Set<ObjectIdentifier> = []
    /// The bits of the columns that objects set without a notice while they were asked what they change before a save; nil
    /// at other times.
    private var settlingPrimitives: [ObjectIdentifier: UInt64]?

    init(_ model: ModelDescription) { areUsed = model.hasLifecycle }

    /// Whether objects were made of rows that are yet to be told so.
    @inline(__always)
    var areWaiting: Bool { awaking.count != 0 }

    /// Has an object that was made of a row be told so once the read is done.
    @inline(__always)
    mutating func noteFetch(of object: ManagedObject) {
        if areUsed, object.entity.hasLifecycle { awaking.append(object) }
    }

    /// The objects that are to be told that they were made of rows.
    mutating func takeAwaking() -> [ManagedObject] {
        let objects = awaking
        awaking = []
        return objects
    }

    /// Notes that an object is being told of its deletion. False where it is already.
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
