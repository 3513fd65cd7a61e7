public import Observation
public import SystemFoundation

/// A controller that keeps the results of a fetch up to date, in order and in sections.
///
/// Use it to show a list. For a loop over the results, see ``ModelContext/results(_:)``.
///
///     let controller = FetchedResultsController(Post.order { $0.timestamp.descending }, in: context) { $0.day?.start }
///     controller.delegate = list
///     try controller.performFetch()
///
/// The results include the context's unsaved changes, merges from other contexts (see
/// ``ModelContext/automaticallyMergesChangesFromParent``), and commits of other processes. They are updated when the
/// context processes its pending changes: at a save, at the end of a `perform`, soon by itself in the main context, and
/// in ``ModelContext/processPendingChanges()``.
///
/// Changes of other tables have no cost. Otherwise only the changed objects are evaluated and moved. The fetch is
/// repeated in three cases: it has a limit or an offset; related objects changed in a property that it uses; or the
/// changes of others are unknown.
///
/// Objects that are equal in the order are ordered by identifier. The controller retains its objects, reports to
/// Observation, and is confined like its context. The counterparts are Core Data's `NSFetchedResultsController` and
/// SwiftData's `ResultsObserver`.
public final class FetchedResultsController<Model: PersistentModel, SectionName: Hashable>: Observable {
    /// The context of the result's objects.
    public let modelContext: ModelContext
    /// The fetch. After you set it, call ``performFetch()``.
    ///
    ///     let controller = FetchedResultsController(Post.all.order { $0.title }, in: context)
    ///     controller.fetchDescriptor = Post.where { $0.isDraft }.order { $0.title }
    ///     try controller.performFetch()
    public var fetchDescriptor: FetchDescriptor<Model>
    /// The object that is notified of changes.
    public weak var delegate: (any FetchedResultsControllerDelegate<Model, SectionName>)?

    let sectionName: ((Model) -> SectionName)?
    var list = ResultList()
    /// Nil before the first fetch, and after a failed one.
    var scope: ResultScope?
    var pending = PendingResultChanges()
    private let registrar = ObservationRegistrar()

    init(_ descriptor: FetchDescriptor<Model>, _ context: ModelContext, _ sectionName: ((Model) -> SectionName)?) {
        fetchDescriptor = descriptor
        modelContext = context
        self.sectionName = sectionName
    }

    /// Creates a controller of results in sections. It does not fetch yet.
    ///
    /// Adjacent objects of the same section name form a section.
    ///
    ///     let byDay = FetchedResultsController(Post.order { $0.timestamp }, in: context) { $0.day?.start }
    ///
    /// - Parameters:
    ///   - descriptor: The objects, in an order that keeps those of the same section together.
    ///   - context: The context of the objects.
    ///   - sectionBy: Returns the section name of an object, from stored or computed properties. It is called for each
    ///     new or changed object. Core Data's counterpart is `sectionNameKeyPath`.
    public convenience init(
        _ descriptor: FetchDescriptor<Model>, in context: ModelContext, sectionBy: @escaping (Model) -> SectionName
    ) {
        self.init(descriptor, context, sectionBy)
    }

    deinit { modelContext.removeLiveResults(self) }

    /// Fetches the results, and keeps them up to date from now on. The delegate is not notified.
    ///
    /// Call it once at the beginning, after you set ``fetchDescriptor``, and after a ``ModelContext/reset()``, which
    /// empties the results.
    ///
    ///     let controller = FetchedResultsController(Post.all, in: context)
    ///     try controller.performFetch()
    ///
    /// - Throws: ``FetchError/sectionsOutOfOrder(entity:name:)`` if objects of one section are not adjacent, another
    ///   ``FetchError`` if the descriptor is invalid, or ``StoreError`` if the store cannot be read. The results are
    ///   empty then.
    public func performFetch() throws {
        scope = nil
        pending = PendingResultChanges()
        var fetched = ResultList()
        defer {
            mutate { list = fetched }
        }
        // Changes that the fetch finds must not be reported as new ones afterwards.
        try modelContext.mergeWaitingChanges()
        let scope = ResultScope(fetchDescriptor, modelContext.container.model)
        fetched = try fetchedList(scope)
        self.scope = scope
        modelContext.addLiveResults(self)
    }

    // MARK: Results

    /// The number of objects in the results.
    public var count: Int {
        noteAccess()
        return list.count
    }

    /// All objects of the results in their order.
    ///
    /// - Complexity: O(*n*) in the number of objects.
    @inlinable public var fetchedObjects: [Model] { Model.collect(visitObjects) }

    @usableFromInline
    func visitObjects(_ reserve: (Int) -> Void, _ visit: (ManagedObject) -> Void) {
        noteAccess()
        reserve(list.count)
        list.visit(visit)
    }

    /// The sections in their order; one without a name if the results have no sections.
    ///
    ///     let controller = FetchedResultsController(Post.order { $0.timestamp }, in: context) { $0.day?.start }
    ///     try controller.performFetch()
    ///     for section in controller.sections { print(section.name as Any, section.count) }
    public var sections: [FetchedResultsSection<Model, SectionName>] {
        noteAccess()
        return list.sections.map { FetchedResultsSection($0) }
    }

    /// Returns the object at a section and item, or nil if there is none.
    ///
    /// - Parameter indexPath: The section and the item.
    public func object(at indexPath: IndexPath) -> Model? {
        noteAccess()
        guard indexPath.count == 2 else { return nil }
        return list[ResultPlace(section: indexPath[0], item: indexPath[1])] as? Model
    }

    /// Returns the section and item of an object, or nil if it is not in the results.
    ///
    /// - Parameter object: The object to find.
    public func indexPath(for object: Model) -> IndexPath? {
        noteAccess()
        return list.place(of: object)?.indexPath
    }

    /// The results as identifiers, which can be sent to any task.
    ///
    /// - Complexity: O(*n*) in the number of objects.
    public var snapshot: FetchedResultsSnapshot<SectionName> {
        noteAccess()
        return FetchedResultsSnapshot(
            sections: list.sections.map { section in
                .init(
                    name: section.name?.base as? SectionName,
                    identifiers: section.pieces.flatMap { $0.objects.map(\.identifier) })
            })
    }

    private func noteAccess() { registrar.access(self, keyPath: \.count) }

    func mutate(_ body: () -> Void) { registrar.withMutation(of: self, keyPath: \.count, body) }
}

extension FetchedResultsController where SectionName == Never {
    /// Creates a controller of results without sections. It does not fetch yet.
    ///
    ///     let controller = FetchedResultsController(Post.order { $0.timestamp.descending }, in: context)
    ///     try controller.performFetch()
    ///
    /// - Parameters:
    ///   - descriptor: The objects and their order.
    ///   - context: The context of the objects.
    public convenience init(_ descriptor: FetchDescriptor<Model>, in context: ModelContext) {
        self.init(descriptor, context, nil)
    }
}

/// A section of the results of a ``FetchedResultsController``, as it is at this time.
///
/// Core Data's counterpart is `NSFetchedResultsSectionInfo`.
///
///     let controller = FetchedResultsController(Post.order { $0.timestamp }, in: context) { $0.day?.start }
///     try controller.performFetch()
///     for section in controller.sections { show(Array(section)) }
public struct FetchedResultsSection<Model: PersistentModel, SectionName: Hashable>: RandomAccessCollection {
    /// The section's name; nil if the results have no sections.
    public let name: SectionName?
    private let pieces: [ContiguousArray<ManagedObject>]
    public let endIndex: Int

    init(_ section: ResultList.Section) {
        self.init(
            name: section.name?.base as? SectionName, pieces: section.pieces.map(\.objects), count: section.count)
    }

    init(name: SectionName?, pieces: [ContiguousArray<ManagedObject>], count: Int) {
        self.name = name
        self.pieces = pieces
        endIndex = count
    }

    public var startIndex: Int { 0 }

    /// The object at a position.
    ///
    /// - Complexity: One step for every few hundred objects.
    public subscript(position: Int) -> Model {
        var rest = position
        for piece in pieces {
            if rest < piece.count, rest >= 0, let object = piece[rest] as? Model { return object }
            rest -= piece.count
        }
        preconditionFailure("The section has no object at \(position).")
    }
}
