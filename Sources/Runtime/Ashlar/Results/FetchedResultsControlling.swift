public import SystemFoundation

/// The interface of a ``FetchedResultsController`` for views, so that a test can replace it.
///
///     final class PostList {
///         let results: any FetchedResultsControlling<Post, Never>
///         init(_ results: any FetchedResultsControlling<Post, Never>) { self.results = results }
///     }
///
/// Core Data has no such protocol; its controller is replaced by a subclass.
public protocol FetchedResultsControlling<Model, SectionName>: AnyObject {
    /// The class of the objects.
    associatedtype Model: PersistentModel
    /// The type of section names; `Never` for results without sections.
    associatedtype SectionName: Hashable

    /// The fetch.
    var fetchDescriptor: FetchDescriptor<Model> { get set }
    /// The object that is notified of changes.
    var delegate: (any FetchedResultsControllerDelegate<Model, SectionName>)? { get set }
    /// The number of objects in the results.
    var count: Int { get }
    /// All objects of the results in their order.
    var fetchedObjects: [Model] { get }
    /// The sections in their order.
    var sections: [FetchedResultsSection<Model, SectionName>] { get }
    /// The results as identifiers.
    var snapshot: FetchedResultsSnapshot<SectionName> { get }

    /// Fetches the results, and keeps them up to date from now on. The delegate is not notified.
    ///
    /// - Throws: The errors of ``FetchedResultsController/performFetch()``.
    func performFetch() throws

    /// Returns the object at a section and item, or nil if there is none.
    func object(at indexPath: IndexPath) -> Model?

    /// Returns the section and item of an object, or nil if it is not in the results.
    func indexPath(for object: Model) -> IndexPath?
}

extension FetchedResultsController: FetchedResultsControlling {}

extension FetchedResultsSection {
    /// Creates a section of objects, for a replacement of a controller in tests.
    ///
    ///     let section = FetchedResultsSection<Post, String>(name: "Drafts", objects: [post])
    ///
    /// - Parameters:
    ///   - name: The section's name.
    ///   - objects: The section's objects in their order.
    public init(name: SectionName?, objects: [Model]) {
        self.init(name: name, pieces: [ContiguousArray(objects)], count: objects.count)
    }
}
