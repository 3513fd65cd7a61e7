public import Observation
public import SystemFoundation

/// The objects of a fetch in their order and in sections, kept up to date as objects change.
///
///     let controller = FetchedResultsController(Post.order { $0.timestamp.descending }, in: context) { $0.day?.start }
///     controller.delegate = list
///     try controller.performFetch()
///
/// The results follow the context: unsaved changes count, as does what the context merges from others, see
/// ``ModelContext/automaticallyMergesChangesFromParent``, and what other processes commit. They are brought up to date when
/// the context processes its pending changes: at a save, at the end of a `perform`, in the main context soon by itself, and
/// in ``ModelContext/processPendingChanges()``. Where a change concerns none of the tables that the fetch looks at, nothing
/// is done; where it concerns the objects themselves, only these are judged and moved. The fetch is repeated where it has a
/// limit or an offset, follows relationships to objects that changed in a property that it looks at, or where others changed
/// what cannot be told.
///
/// Objects that are equal in the order are ordered by their identifiers. The controller holds its objects strongly, and
/// reports to Observation. It is used where its context is. Core Data's `NSFetchedResultsController`, SwiftData's
/// `ResultsObserver`.
public final class FetchedResultsController<Model: PersistentModel, SectionName: Hashable>: Observable {
    /// The context whose objects the results are.
    public let modelContext: ModelContext
    /// What is fetched. Set it and call ``performFetch()`` for other results.
    public var fetchDescriptor: FetchDescriptor<Model>
    /// Who is told of changes.
    public weak var delegate: (any FetchedResultsControllerDelegate<Model, SectionName>)?

    let sectionName: ((Model) -> SectionName)?
    var list = ResultList()
    /// Nil before the first fetch, and after one that failed.
    var scope: ResultScope?
    var pending = PendingResultChanges()
    private let registrar = ObservationRegistrar()

    init(_ descriptor: FetchDescriptor<Model>, _ context: ModelContext, _ sectionName: ((Model) -> SectionName)?) {
        fetchDescriptor = descriptor
        modelContext = context
        self.sectionName = sectionName
    }

    /// Makes a controller of results in sections: neighbours of the same name are in one. It fetches nothing yet.
    ///
    /// - Parameters:
    ///   - descriptor: What to fetch, in an order that keeps objects of the same name together.
    ///   - context: Where the objects are.
    ///   - sectionBy: The name of the section that an object is in, of stored or computed properties. It is called for each
    ///     object that comes or changes. Core Data's `sectionNameKeyPath`.
    public convenience init(
        _ descriptor: FetchDescriptor<Model>, in context: ModelContext, sectionBy: @escaping (Model) -> SectionName
    ) {
        self.init(descriptor, context, sectionBy)
    }

    deinit { modelContext.removeLiveResults(self) }

    /// Fetches the results anew, without telling the delegate, and keeps them up to date from now on.
    ///
    /// Also to be called after a ``ModelContext/reset()``, which leaves the results empty.
    ///
    /// - Throws: ``FetchError/sectionsOutOfOrder(entity:name:)`` when objects of one section are not beside each other in
    ///   the descriptor's order; ``FetchError``; ``StoreError`` when the store cannot be read. The results are
    ///   empty then.
    public func performFetch() throws {
        scope = nil
        pending = PendingResultChanges()
        var fetched = ResultList()
        defer {
            mutate { list = fetched }
        }
        // What the fetch finds must not be told as news afterwards.
        try modelContext.mergeWaitingChanges()
        let scope = ResultScope(fetchDescriptor, modelContext.container.model)
        fetched = try fetchedList(scope)
        self.scope = scope
        modelContext.addLiveResults(self)
    }

    // MARK: Results

    /// The number of objects.
    public var count: Int {
        noteAccess()
        return list.count
    }

    /// All objects in their order. The time grows with their number.
    @inlinable public var fetchedObjects: [Model] { Model.collect(visitObjects) }

    @usableFromInline
    func visitObjects(_ reserve: (Int) -> Void, _ visit: (ManagedObject) -> Void) {
        noteAccess()
        reserve(list.count)
        list.visit(visit)
    }

    /// The sections in their order; one without a name where the results have none.
    public var sections: [FetchedResultsSection<Model, SectionName>] {
        noteAccess()
        return list.sections.map { FetchedResultsSection($0) }
    }

    /// The object at a section and item; nil where there is none.
    public func object(at indexPath: IndexPath) -> Model? {
        noteAccess()
        guard indexPath.count == 2 else { return nil }
        return list[ResultPlace(section: indexPath[0], item: indexPath[1])] as? Model
    }

    /// Section and item of an object; nil where it is not among the results.
    public func indexPath(for object: Model) -> IndexPath? {
        noteAccess()
        return list.place(of: object)?.indexPath
    }

    /// The results as identifiers. The time grows with their number.
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
    /// Makes a controller of results without sections. It fetches nothing yet.
    public convenience init(_ descriptor: FetchDescriptor<Model>, in context: ModelContext) {
        self.init(descriptor, context, nil)
    }
}

/// A section of the results of a ``FetchedResultsController``, as it is at this time. Core Data's
/// `NSFetchedResultsSectionInfo`.
public struct FetchedResultsSection<Model: PersistentModel, SectionName: Hashable>: RandomAccessCollection {
    /// The name; nil where the results have no sections.
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

    /// The object at a position. The time grows with the objects, by one step for some hundreds of them.
    public subscript(position: Int) -> Model {
        var rest = position
        for piece in pieces {
            if rest < piece.count, rest >= 0, let object = piece[rest] as? Model { return object }
            rest -= piece.count
        }
        preconditionFailure("The section has no object at \(position).")
    }
}
