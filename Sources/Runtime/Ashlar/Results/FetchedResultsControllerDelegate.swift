/// Receives the changes of a fetched results controller, on the task or actor of its context.
///
/// The methods are called in this order: ``controllerWillChangeContent(_:)``, one call for each section, one call for
/// each object, ``controller(_:didChangeContentWith:)``, ``controllerDidChangeContent(_:)``. All are optional; those
/// that are not implemented have no cost.
///
///     final class TitleList: FetchedResultsControllerDelegate {
///         typealias Model = Post
///         typealias SectionName = Never
///
///         func controllerDidChangeContent(_ controller: FetchedResultsController<Post, Never>) {
///             show(controller.fetchedObjects)
///         }
///     }
///
/// Core Data's counterpart is `NSFetchedResultsControllerDelegate`.
public protocol FetchedResultsControllerDelegate<Model, SectionName>: AnyObject {
    /// The class of the objects.
    associatedtype Model: PersistentModel
    /// The type of section names; `Never` for a controller without sections.
    associatedtype SectionName: Hashable

    /// Called before the results change; they are still the old ones.
    func controllerWillChangeContent(_ controller: FetchedResultsController<Model, SectionName>)

    /// Called for each section that was inserted or deleted.
    ///
    /// - Parameters:
    ///   - controller: The controller of the results.
    ///   - section: The change.
    func controller(
        _ controller: FetchedResultsController<Model, SectionName>,
        didChange section: FetchedResultsChanges<Model, SectionName>.SectionChange)

    /// Called for each object that was inserted, deleted, moved or updated.
    ///
    /// - Parameters:
    ///   - controller: The controller of the results.
    ///   - object: The change.
    func controller(
        _ controller: FetchedResultsController<Model, SectionName>,
        didChange object: FetchedResultsChanges<Model, SectionName>.ObjectChange)

    /// Called with all changes at once.
    ///
    /// ``FetchedResultsController/snapshot`` has the new results as identifiers.
    ///
    /// - Parameters:
    ///   - controller: The controller of the results.
    ///   - changes: All changes.
    func controller(
        _ controller: FetchedResultsController<Model, SectionName>,
        didChangeContentWith changes: FetchedResultsChanges<Model, SectionName>)

    /// Called after the results changed; they are the new ones.
    func controllerDidChangeContent(_ controller: FetchedResultsController<Model, SectionName>)

    /// Called if the results could not be updated.
    ///
    /// They are empty until ``FetchedResultsController/performFetch()``. The context's next throwing call throws the
    /// error too.
    ///
    /// - Parameters:
    ///   - controller: The controller of the results.
    ///   - error: The reason.
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
