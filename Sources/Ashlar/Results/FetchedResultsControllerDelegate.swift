/// Who is told when the results of a ``FetchedResultsController`` change, where its context runs.
///
/// The calls come in this order: ``controllerWillChangeContent(_:)``, the sections one by one, the objects one by one,
/// ``controller(_:didChangeContentWith:)``, ``controllerDidChangeContent(_:)``. Those that are not implemented cost nothing.
/// Core Data's `NSFetchedResultsControllerDelegate`.
public protocol FetchedResultsControllerDelegate<Model, SectionName>: AnyObject {
    /// The class of the objects.
    associatedtype Model: PersistentModel
    /// What sections are named by; `Never` for a controller without sections.
    associatedtype SectionName: Hashable

    /// The results are about to change; they are those from before.
    func controllerWillChangeContent(_ controller: FetchedResultsController<Model, SectionName>)

    /// A section came or went.
    func controller(
        _ controller: FetchedResultsController<Model, SectionName>,
        didChange section: FetchedResultsChanges<Model, SectionName>.SectionChange)

    /// An object came, went, moved or has other values.
    func controller(
        _ controller: FetchedResultsController<Model, SectionName>,
        didChange object: FetchedResultsChanges<Model, SectionName>.ObjectChange)

    /// The results changed in these ways; ``FetchedResultsController/snapshot`` has them as identifiers.
    func controller(
        _ controller: FetchedResultsController<Model, SectionName>,
        didChangeContentWith changes: FetchedResultsChanges<Model, SectionName>)

    /// The results are the new ones.
    func controllerDidChangeContent(_ controller: FetchedResultsController<Model, SectionName>)

    /// The results could not be brought up to date, and are empty until ``FetchedResultsController/performFetch()``. The
    /// context's next throwing call throws the error too.
    func controller(_ controller: FetchedResultsController<Model, SectionName>, didFailWith error: any Error)
}

extension FetchedResultsControllerDelegate {
    public func controllerWillChangeContent(_ controller: FetchedResultsController<Model, SectionName>) {}

    public func controller(
        _ controller: FetchedResultsController<Model, SectionName>,
        didChange section: FetchedResultsChanges<Model, SectionName>.SectionChange
    ) {}

    public func controller(
        _ controller: FetchedResultsController<Model, SectionName>,
        didChange object: FetchedResultsChanges<Model, SectionName>.ObjectChange
    ) {}

    public func controller(
        _ controller: FetchedResultsController<Model, SectionName>,
        didChangeContentWith changes: FetchedResultsChanges<Model, SectionName>
    ) {}

    public func controllerDidChangeContent(_ controller: FetchedResultsController<Model, SectionName>) {}

    public func controller(
        _ controller: FetchedResultsController<Model, SectionName>, didFailWith error: any Error
    ) {}
}
