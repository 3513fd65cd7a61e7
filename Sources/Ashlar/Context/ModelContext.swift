import AshlarSQLite

/// The objects that a task works with: it fetches them, keeps track of their changes, and saves these together.
///
/// In one context a row is one object. A context and its objects are confined to the task or actor that made the
/// context; identifiers and values structs may cross to others. SwiftData's `ModelContext`, Core Data's
/// `NSManagedObjectContext`.
///
/// What a context keeps is in parts, each in the room that it is of: which objects there are (`ObjectRegistry`), what of
/// them is to be saved (`PendingChanges`), which errors wait (`DeferredErrors`), who is told (`ContextListeners`).
/// Those are classes, since a save is handed them; the others are structs.
public final class ModelContext {
    /// The container whose store the context reads and writes.
    public let container: ModelContainer

    // What checked accesses would cost stands beside ``PendingChanges``.

    /// The context that this one reads and saves through; nil for one that does so on the store itself.
    @exclusivity(unchecked) public internal(set) var parent: ModelContext?
    var children: [Child] = []

    // MARK: What users set

    /// The policy that settles what this context and others changed at the same time, when it saves and when it merges;
    /// ``MergePolicy/error`` at first.
    public var mergePolicy = MergePolicy.error
    /// A name for the context, for logs and history. Core Data's `name`.
    public var name: String?
    /// Who makes the context's changes, for those who observe them. SwiftData's `author`, Core Data's
    /// `transactionAuthor`.
    public var author: String?
    /// For which objects a context loads what a relationship leads to; ``RelationshipLoading/automatic`` at first.
    @exclusivity(unchecked) public var relationshipLoading = RelationshipLoading.automatic
    /// The number of statements that the context ran on the store, reads and writes, since it was made or since you set
    /// this to 0. `BEGIN` and `COMMIT` are not counted. A child context runs its statements on its outermost parent.
    @exclusivity(unchecked) public var statementCount = 0
    /// Who is told of the statements that the context runs; at first the observer of the container's configuration.
    public var statementObserver: StatementObserver? {
        get { reading.observer }
        set { reading.observer = newValue }
    }
    /// Undoes and redoes changes; nil, the default, follows none.
    public var undoManager: ModelUndoManager? {
        get { listeners.undoManager }
        set {
            listeners.setUndoManager(newValue, of: self)
            if newValue == nil { laterRowIDs = LaterRowIDs() }
            updateEvents()
        }
    }

    // MARK: Parts

    /// The objects that the context has.
    let registry: ObjectRegistry
    /// What the next save writes.
    let pending = PendingChanges()
    /// Errors that the next throwing call throws.
    let errors = DeferredErrors()
    /// Who is told of what happens.
    let listeners = ContextListeners()
    /// How the context reads.
    @exclusivity(unchecked) var reading: ContextReading
    /// Which objects are told of their life.
    @exclusivity(unchecked) var hooks: LifecycleHooks
    /// The transient attributes that changed.
    @exclusivity(unchecked) var transients = TransientChanges()
    /// What the context is in the midst of.
    @exclusivity(unchecked) var activity = ContextActivity()
    /// When the context saves by itself.
    @exclusivity(unchecked) var autosaving = AutosaveSchedule()
    /// Whether the context merges what others save.
    @exclusivity(unchecked) var subscription = MergeSubscription()
    /// The rowids that objects got after those that an undo may speak of.
    @exclusivity(unchecked) var laterRowIDs = LaterRowIDs()
    /// Whether an undo or a redo is under way.
    @exclusivity(unchecked) var isUndoing = false
    /// Finds uses by two threads at once; nil while that is not asked for.
    var concurrencyCheck = ConcurrencyCheck.make()
    /// Has the context process its pending changes soon, from any task; nil where that is up to its user.
    var wake: (@Sendable () -> Void)?

    /// Makes a context without objects.
    public init(_ container: ModelContainer) {
        self.container = container
        registry = ObjectRegistry(container)
        reading = ContextReading(container.configuration.statementObserver)
        hooks = LifecycleHooks(container.model)
    }

    deinit {
        listeners.undoManager?.detach(from: self)
        listeners.observers.end()
        subscription.end(container.hub)
        registry.end()
    }

    // MARK: Pending changes

    /// Whether any object is inserted, changed or deleted since the last save.
    public var hasChanges: Bool { !pending.isEmpty }

    /// The objects that the next save inserts, in the order of their insertion.
    public var insertedModelsArray: [any PersistentModel] {
        pending.inserted.lazy.filter { $0.record.state == .inserted }.compactMap { $0 as? any PersistentModel }
    }

    /// The objects of the store that have changes, in the order of their first change.
    public var changedModelsArray: [any PersistentModel] {
        pending.changed.lazy.filter { $0.record.state == .persisted }.compactMap { $0 as? any PersistentModel }
    }

    /// The objects that the next save deletes.
    public var deletedModelsArray: [any PersistentModel] {
        pending.deleted.compactMap { $0 as? any PersistentModel }
    }

    /// Takes an object for one without changes.
    func clean(_ object: ManagedObject) {
        object.record.endFollowing()
        object.record.original = .none
        object.changes = 0
        object.record.isListed = false
    }

    /// Throws the error of an earlier lazy load or relationship, which its getter or setter could not throw.
    func throwDeferredError() throws {
        if subscription.isOn { try mergeWaitingChanges() }
        try errors.throwFirst()
    }
}
