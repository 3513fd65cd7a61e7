import AshlarSQLite
import Observation

/// The objects that a task works with: it fetches them, keeps track of their changes, and saves these together.
///
/// In one context a row is one object. A context and its objects are confined to the task or actor that made the
/// context; identifiers and values structs may cross to others. SwiftData's `ModelContext`, Core Data's
/// `NSManagedObjectContext`.
public final class ModelContext {
    /// The container whose store the context reads and writes.
    public let container: ModelContainer

    /// The context that this one reads and saves through; nil for one that does so on the store itself.
    @exclusivity(unchecked) public internal(set) var parent: ModelContext?
    var children: [Child] = []

    @exclusivity(unchecked) var maps: ContiguousArray<IdentityMap?>
    /// Objects that were inserted, in that order; one that was deleted since is not in state `inserted` any more.
    @exclusivity(unchecked) var inserted: ContiguousArray<ManagedObject> = []
    /// Objects of the store that have changes.
    @exclusivity(unchecked) var changed: ContiguousArray<ManagedObject> = []
    @exclusivity(unchecked) var deleted: ContiguousArray<ManagedObject> = []
    @exclusivity(unchecked) var pendingLinks: [LinkKey: PendingLinks] = [:]
    /// Ordered relationships whose order is to be written.
    @exclusivity(unchecked) var reordered: [LinkKey: Reordering] = [:]
    /// Whether a reference may lead to an object that was inserted and deleted again.
    @exclusivity(unchecked) var hasForgottenObjects = false
    /// The rows that were reserved for objects which were then not inserted.
    @exclusivity(unchecked) var forgottenRows: Set<RowKey> = []
    /// The rows of which a merge told, while their objects had changes or were deleted here: what becomes of these is for
    /// the next save to settle, or for a rollback.
    var rowsToMerge: Set<RowKey> = []
    /// Counts the events after which a loaded relationship may list objects that are no more.
    @exclusivity(unchecked) var disappearances = 0
    /// An error of a lazy load, whose getter could not throw it.
    @exclusivity(unchecked) var deferredError: (any Error)?
    /// Why it is not known which stores the last save committed; nil when that is known.
    var unknownOutcome: SQLiteError?
    /// The ``StoreError`` of the first value that could not be read since the last throwing call. A reference, as each
    /// fetch asks for it.
    @exclusivity(unchecked) var deferredInvalidValue: (any Error)?
    /// Why a row was left out of what is being fetched.
    @exclusivity(unchecked) var omissionError: (any Error)?
    /// All values that could not be read.
    @exclusivity(unchecked) var unreadableValues: Set<InvalidValue> = []

    /// What became of changes that this context and others made at the same time; ``MergePolicy/error`` at first.
    public var mergePolicy = MergePolicy.error
    /// A name for the context, for logs and history. Core Data's `name`.
    public var name: String?
    /// Who is told of the statements that the context runs; at first the observer of the container's configuration.
    public var statementObserver: StatementObserver? {
        didSet { tracingObserver = StatementObserver.recording(statementObserver) }
    }
    /// That observer, with the recorder that the environment asks for.
    private(set) var tracingObserver: StatementObserver?
    /// The number of statements that the context ran on the store, reads and writes, since it was made or since you set
    /// this to 0. `BEGIN` and `COMMIT` are not counted. A child context runs its statements on its outermost parent.
    @exclusivity(unchecked) public var statementCount = 0
    /// Ends what the context reads when its task is cancelled; nil where nobody can.
    var cancellation: FetchCancellation?
    /// Who makes the context's changes, for those who observe them. SwiftData's `author`, Core Data's
    /// `transactionAuthor`.
    public var author: String?
    /// Undoes and redoes changes; nil, the default, follows none.
    public var undoManager: ModelUndoManager? {
        didSet {
            oldValue?.attach(to: nil)
            undoManager?.attach(to: self)
            if undoManager == nil { laterRowIDs = [:] }
            updateEvents()
        }
    }

    /// What happened since pending changes were processed; nil while nobody wants to know.
    @exclusivity(unchecked) var event: ContextEvent?
    /// The bits of the changed columns of objects that tell of every change.
    @exclusivity(unchecked) var watchedChanges: [ObjectIdentifier: UInt64] = [:]
    var observers = ContextObservers()
    /// Whether any class of the model adopts ``ManagedObjectLifecycle``.
    let hasLifecycle: Bool
    /// Objects that were made of rows and are yet to be told so.
    @exclusivity(unchecked) var awaking: [ManagedObject] = []
    /// Objects whose rows must be as they were read when the next save commits.
    var conflictDetections: [ManagedObject] = []
    /// The rowids that came after those that an undo may speak of: an object was saved, or came back after its deletion
    /// was saved.
    var laterRowIDs: [RowKey: Int64] = [:]
    var isUndoing = false
    /// The transient values that changed objects had before.
    @exclusivity(unchecked) var transientsBefore: [ObjectIdentifier: TransientValues] = [:]
    /// Whether transient attributes are being prepared by a hook, or set without a notice: that is no change.
    @exclusivity(unchecked) var ignoresTransientChanges = false
    /// The bits of the columns that objects set without a notice while they were asked what they change before a save; nil
    /// at other times.
    @exclusivity(unchecked) var settlingPrimitives: [ObjectIdentifier: UInt64]?
    /// What others saved and this context is to merge; nil while it merges nothing by itself.
    var inbox: MergeInbox?
    /// Finds uses by two threads at once; nil while that is not asked for.
    var concurrencyCheck = ConcurrencyCheck.make()
    /// Has the context process its pending changes soon, from any task; nil where that is up to its user.
    var wake: (@Sendable () -> Void)?
    /// What the closure of a transaction writes; nil where none is under way.
    @exclusivity(unchecked) var transaction: ContextTransaction?
    /// Whether a save is under way whose outcome is not known yet.
    @exclusivity(unchecked) var isSaving = false
    /// The objects that are told of their deletion.
    @exclusivity(unchecked) var preparingDeletion: Set<ObjectIdentifier> = []
    /// Whether a save or a merge is under way.
    @exclusivity(unchecked) var isBusy = false
    /// Whether objects report to the Observation library.
    @exclusivity(unchecked) var observesObjects = false
    lazy var registrar = ObservationRegistrar()
    /// The state of the store that the context stays at; nil for the newest at every read.
    @exclusivity(unchecked) var pinnedGeneration: QueryGenerationToken?
    /// Results that follow the context.
    var liveResults = LiveResultsList()
    var retainsObjects = false
    @exclusivity(unchecked) var autosaves = false
    /// Whether the context is woken to save, rather than that who uses it has it process its changes.
    var isWokenToSave = false
    @exclusivity(unchecked) var isAutosaveScheduled = false
    /// When another process was found writing by an autosave that is yet to be done.
    var autosavePostponement: ContinuousClock.Instant?

    /// Makes a context without objects.
    public init(_ container: ModelContainer) {
        self.container = container
        statementObserver = container.configuration.statementObserver
        tracingObserver = StatementObserver.recording(container.configuration.statementObserver)
        hasLifecycle = container.model.hasLifecycle
        maps = ContiguousArray(repeating: nil, count: container.model.entities.count)
    }

    deinit {
        for stream in observers.streams.values { stream.continuation.finish() }
        if let inbox { container.hub.remove(inbox) }
        for (root, map) in maps.enumerated() { map?.removeAll(storeNumber: container.storeNumber(of: UInt16(root))) }
    }

    // MARK: Pending changes

    /// Whether any object is inserted, changed or deleted since the last save.
    public var hasChanges: Bool {
        !changed.isEmpty || !deleted.isEmpty || inserted.contains { $0.record.state == .inserted }
    }

    /// The objects that the next save inserts, in the order of their insertion.
    public var insertedModelsArray: [any PersistentModel] {
        inserted.lazy.filter { $0.record.state == .inserted }.compactMap { $0 as? any PersistentModel }
    }

    /// The objects of the store that have changes, in the order of their first change.
    public var changedModelsArray: [any PersistentModel] {
        changed.lazy.filter { $0.record.state == .persisted }.compactMap { $0 as? any PersistentModel }
    }

    /// The objects that the next save deletes.
    public var deletedModelsArray: [any PersistentModel] {
        deleted.compactMap { $0 as? any PersistentModel }
    }

    /// Adds an object, and all objects that it refers to, to be saved by the next ``save()``.
    ///
    /// An object that is in the context already stays as it is. One that is in another context stays there, and the
    /// next throwing call of this context throws ``ContextError/objectOfAnotherContext(entity:)``.
    public func insert(_ model: some PersistentModel) {
        checked { insertObject(model) }
    }

    func insertObject(_ object: ManagedObject) {
        if object.record.state == .deleted, object.record.context === self {
            takeBackDeletion(of: object)
            return
        }
        // One whose deletion was saved becomes a new object, as its row will not come back.
        if object.record.state == .gone { object.record.state = .detached }
        guard object.record.state == .detached else {
            if object.record.context !== self {
                recordError(ContextError.objectOfAnotherContext(entity: object.entity.name))
            }
            return
        }
        guard container.model.contains(object.entity) else {
            recordError(ContextError.entityOfAnotherModel(entity: object.entity.name))
            return
        }
        if object.entity.isAbstract {
            recordError(ContextError.abstractEntity(object.entity.name))
            return
        }
        guard container.storeNumber(of: object.entity.number.root) != 0 else {
            recordError(StoreError.entityWithoutStore(object.entity.name))
            return
        }
        if object.record.links == nil, !hasLifecycle { return register(inserted: object) }
        var waiting = [object]
        var linked: [(ManagedObject, [RelationshipLinks])] = []
        var awaking: [any ManagedObjectLifecycle] = []
        while let next = waiting.popLast() {
            guard next.record.state == .detached else { continue }
            let links = next.allLinks
            register(inserted: next)
            if next.entity.hasLifecycle, let model = next as? any ManagedObjectLifecycle { awaking.append(model) }
            if links.isEmpty { continue }
            linked.append((next, links))
            for links in links { waiting += links.objects }
        }
        for (owner, links) in linked {
            for links in links where !links.objects.isEmpty { link(owner, links.relationship, links.objects) }
        }
        for model in awaking { model.awakeFromInsert() }
    }

    /// Relates an object that was just inserted to what it referred to before.
    private func link(_ owner: ManagedObject, _ number: Int, _ targets: [ManagedObject]) {
        let relationship = owner.entity.relationships[number]
        for target in targets {
            if relationship.isToMany {
                add(target, to: owner, number)
            } else {
                setToOne(owner, number, target)
            }
        }
        // The other sides were linked in the order in which they were found, which need not be this one.
        if relationship.isOrdered {
            let members = Set(members(of: owner, number))
            setOrder(targets.map(\.record.rowID).filter(members.contains), of: owner, number)
        }
    }

    /// Makes an object one that the next save inserts. A child's object keeps the rowid that it has there.
    func register(inserted object: ManagedObject, keepsRowID: Bool = false) {
        // References of an object that was in a context before are of no use in this one.
        if object.record.rowID != 0 { clearReferences(of: object) }
        if object.record.rowID >= 0, !keepsRowID {
            let rowID = TemporaryRowID.next()
            if object.record.rowID > 0 { noteLaterRowID(of: object, rowID) }
            object.record.rowID = rowID
        }
        object.record.state = .inserted
        object.record.version = 0
        object.record.context = self
        object.changes = .max
        object.record.original = .none
        object.record.links = nil
        object.record.isListed = false
        object.record.isObserved = observesObjects
        map(for: object.entity.number.root).insert(object, rowID: object.record.rowID)
        inserted.append(object)
        if autosaves { scheduleAutosave() }
        if let event {
            event.inserted.append(object)
            watch(object)
        }
    }

    /// Takes an inserted object out of the context again.
    func forget(_ object: ManagedObject) {
        let entity = object.entity
        map(for: entity.number.root).remove(object.record.rowID)
        for number in entity.relationships.indices {
            let key = LinkKey(root: entity.number.root, rowID: object.record.rowID, relationship: number)
            pendingLinks[key] = nil
            reordered[key] = nil
        }
        if object.record.rowID > 0 {
            forgottenRows.insert(RowKey(root: entity.number.root, rowID: object.record.rowID))
        }
        object.detach(.detached)
        clearReferences(of: object)
        hasForgottenObjects = true
    }

    private func clearReferences(of object: ManagedObject) {
        for column in object.entity.referenceColumns where object.identifier(inColumn: column) != nil {
            object.setIdentifier(nil, inColumn: column)
        }
    }

    /// Notes that an object has changes; called before the first change of each column.
    func noteChange(of object: ManagedObject) {
        checked { noteCheckedChange(of: object) }
    }

    private func noteCheckedChange(of object: ManagedObject) {
        if let event {
            event.touch(object)
            watch(object)
        }
        if autosaves { scheduleAutosave() }
        guard object.record.state == .persisted, !object.record.isListed else { return }
        object.record.isListed = true
        changed.append(object)
    }

    // MARK: Errors that a getter could not throw

    func recordError(_ error: any Error) {
        if deferredError == nil { deferredError = error }
    }

    /// Throws the error of an earlier lazy load or relationship, which its getter or setter could not throw.
    func throwDeferredError() throws {
        if inbox != nil { try mergeWaitingChanges() }
        if let error = deferredInvalidValue {
            deferredInvalidValue = nil
            throw error
        }
        if let error = deferredError {
            deferredError = nil
            throw error
        }
    }

    func clean(_ object: ManagedObject) {
        unwatch(object)
        object.record.original = .none
        object.changes = 0
        object.record.isListed = false
    }
}
