import AshlarSQLite

// The state is divided among parts, each in its own folder: the registered objects (`ObjectRegistry`), the pending
// changes (`PendingChanges`), deferred errors (`DeferredErrors`), and observers (`ContextListeners`). These parts are
// classes because a save receives them; the others are structs.

/// A set of objects that a task works with: it fetches them, tracks their changes, and saves the changes together.
///
/// Create a context for each unit of work, or use ``ModelContainer/mainContext`` for a user interface. Within a
/// context, each row is represented by one object. A context and its objects are confined to the task or actor that
/// created the context. Identifiers and values structs can be sent to others.
///
///     let context = ModelContext(container)
///     let posts = try context.fetch(Post.where { $0.isRead == false })
///     for post in posts { post.isRead = true }
///     try context.save()
///
/// The counterparts are SwiftData's `ModelContext` and Core Data's `NSManagedObjectContext`.
public final class ModelContext {
    /// The container whose store the context reads and writes.
    public let container: ModelContainer

    // See ``PendingChanges`` for the cost of checked accesses.

    /// The context that this one reads and saves through, or nil if it works on the store itself.
    ///
    /// See ``init(parent:)``.
    @exclusivity(unchecked) public internal(set) var parent: ModelContext?
    var children: [Child] = []

    // MARK: Settings

    /// The policy that resolves conflicts with other contexts when the context saves or merges.
    ///
    /// It defaults to ``MergePolicy/error``: the save throws ``SaveError/conflict(_:)``.
    ///
    ///     context.mergePolicy = .mergeByPropertyObjectTrump
    ///
    /// Core Data has a property of the same name.
    public var mergePolicy = MergePolicy.error
    /// The name of the context in logs and in the history.
    ///
    ///     context.name = "import"
    ///
    /// Core Data has a property of the same name.
    public var name: String?
    /// The author of the context's changes, for observers and for the history.
    ///
    /// Set it so that readers of the history can exclude their own changes.
    ///
    ///     context.author = "sync"
    ///
    /// The counterparts are SwiftData's `author` and Core Data's `transactionAuthor`.
    public var author: String?
    /// The setting that decides for which objects a relationship is loaded together.
    ///
    /// It defaults to ``RelationshipLoading/automatic``.
    ///
    ///     context.relationshipLoading = .siblings
    @exclusivity(unchecked) public var relationshipLoading = RelationshipLoading.automatic
    /// The number of statements that the context has executed on the store, reads and writes.
    ///
    /// Use it in tests to detect repeated fetches. Set it to 0 to restart the count. `BEGIN` and `COMMIT` are not
    /// counted. A child context executes its statements on its outermost parent.
    ///
    ///     context.statementCount = 0
    ///     let posts = try context.fetch(Post.all)
    ///     assert(context.statementCount == 1)
    @exclusivity(unchecked) public var statementCount = 0
    /// The observer of the statements that the context executes.
    ///
    /// It defaults to the observer of the container's configuration.
    public var statementObserver: StatementObserver? {
        get { reading.observer }
        set { reading.observer = newValue }
    }
    /// The undo manager that records the context's changes; nil, the default, records none.
    ///
    ///     context.undoManager = ModelUndoManager()
    ///
    /// The counterparts are the properties of the same name of SwiftData and Core Data.
    public var undoManager: ModelUndoManager? {
        get { listeners.undoManager }
        set {
            listeners.setUndoManager(newValue, of: self)
            if newValue == nil { laterRowIDs = LaterRowIDs() }
            updateEvents()
        }
    }

    // MARK: Parts

    /// The registered objects of the context.
    let registry: ObjectRegistry
    /// The pending changes that the next save writes.
    let pending = PendingChanges()
    /// Errors that the next throwing call throws.
    let errors = DeferredErrors()
    /// The context's observers.
    let listeners = ContextListeners()
    /// The reading state of the context.
    @exclusivity(unchecked) var reading: ContextReading
    /// The lifecycle callbacks of the context's objects.
    @exclusivity(unchecked) var hooks: LifecycleHooks
    /// The transient attributes that changed.
    @exclusivity(unchecked) var transients = TransientChanges()
    /// The operation that the context is performing.
    @exclusivity(unchecked) var activity = ContextActivity()
    /// The schedule of autosaves.
    @exclusivity(unchecked) var autosaving = AutosaveSchedule()
    /// The subscription to the saves of other contexts.
    @exclusivity(unchecked) var subscription = MergeSubscription()
    /// The rowids that replaced those in undo entries.
    @exclusivity(unchecked) var laterRowIDs = LaterRowIDs()
    /// The number of the container's changes of rowids that the context has followed.
    @exclusivity(unchecked) var knownRenumberedCount = 0
    /// Whether an undo or a redo is under way.
    @exclusivity(unchecked) var isUndoing = false
    /// Detects uses by two threads at once; nil if the check is disabled.
    var concurrencyCheck = ConcurrencyCheck.make()
    /// Wakes the context to process its pending changes soon, from any task; nil if its user does that.
    var wake: (@Sendable () -> Void)?

    /// Creates a context without objects.
    ///
    ///     let context = ModelContext(container)
    ///
    /// - Parameter container: The container whose store the context reads and writes.
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
        // A child that is released cancels its changes.
        if parent == nil, !pending.inserted.isEmpty { LostInsertions.report(pending.inserted) }
        registry.end()
    }

    // MARK: Pending changes

    /// Whether any object was inserted, changed or deleted since the last save.
    ///
    ///     if context.hasChanges { try context.save() }
    public var hasChanges: Bool { !pending.isEmpty }

    /// The objects that the next save inserts, in the order of their insertion.
    ///
    /// The counterparts are SwiftData's property of the same name and Core Data's `insertedObjects`.
    ///
    ///     let newPosts = context.insertedModelsArray.compactMap { $0 as? Post }
    public var insertedModelsArray: [any PersistentModel] {
        pending.inserted.lazy.filter { $0.record.state == .inserted }.compactMap { $0 as? any PersistentModel }
    }

    /// The saved objects that have changes, in the order of their first change.
    ///
    /// The counterparts are SwiftData's property of the same name and Core Data's `updatedObjects`.
    ///
    ///     for model in context.changedModelsArray { print(model.changedProperties) }
    public var changedModelsArray: [any PersistentModel] {
        pending.changed.lazy.filter { $0.record.state == .persisted }.compactMap { $0 as? any PersistentModel }
    }

    /// The objects that the next save deletes.
    ///
    /// The counterparts are SwiftData's property of the same name and Core Data's `deletedObjects`.
    ///
    ///     let count = context.deletedModelsArray.count
    public var deletedModelsArray: [any PersistentModel] {
        pending.deleted.compactMap { $0 as? any PersistentModel }
    }

    /// Marks an object as unchanged.
    func clean(_ object: ManagedObject) {
        object.record.endFollowing()
        object.record.original = .none
        object.changes = 0
        object.record.isListed = false
    }

    /// Throws the first error that a lazy load or relationship deferred because its getter or setter could not throw.
    func throwDeferredError() throws {
        if subscription.isOn || hasRenumberedRows { try mergeWaitingChanges() }
        try errors.throwFirst()
    }
}
